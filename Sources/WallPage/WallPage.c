#include "WallPage.h"

static const unsigned char html[] = {
#embed "wall.html"
};
static const unsigned char css[] = {
#embed "wall.css"
};
static const unsigned char js[] = {
#embed "wall.js"
};

struct page_file page_html(void) { return (struct page_file){html, sizeof html}; }
struct page_file page_css(void) { return (struct page_file){css, sizeof css}; }
struct page_file page_js(void) { return (struct page_file){js, sizeof js}; }
