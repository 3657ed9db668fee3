// The page's files, embedded at build time.
#pragma once
#include <stddef.h>

struct page_file {
  const unsigned char *start;
  size_t count;
};

struct page_file page_html(void);
struct page_file page_css(void);
struct page_file page_js(void);
