# The commands people use. `make` lists them.
SHELL := /bin/sh
prefix ?= /usr/local
sysconfdir ?= /etc
RELEASE := --configuration release --static-swift-stdlib -Xlinker -s

.PHONY: help run tap test durability kills days attack soak fuzz doctor-score bench build format lint sounds install uninstall clean
.SILENT:

help:
	echo "make run        install what is missing, build, and run the wall with a demo household"
	echo "make tap        tap the demo's virtual reader: TAG=04A1B2C3D4E5F6, FAULT=mute|torn|comm"
	echo "make test       all tests, unit to end-to-end"
	echo "make durability crash states of the release agent under taps, and every disk error (about 3 minutes)"
	echo "make kills      kill -9 the release agent 300 times under taps: KILLS=n (about 3 minutes)"
	echo "make days       20 simulated days of taps with faults drawn from a printed seed (about 10 minutes)"
	echo "make attack     the page's server under attack, at full strength (about 5 minutes)"
	echo "make soak       20 snapshots a second into a browser for five minutes: SOAK_SECONDS=n"
	echo "make fuzz       random bytes at every parser, FUZZ_SECONDS (600) each"
	echo "make bench      measure what README says of speed, on this machine (about 4 minutes)"
	echo "make doctor-score  faults made outside the agent, and what --diagnose says of them (about 4 minutes)"
	echo "make install    put the agent in place: DESTDIR, prefix ($(prefix)) and sysconfdir ($(sysconfdir)) are honoured"
	echo "make format     format the sources;  make lint  check them;  make sounds  make the WAV files again"

run:
	.ci/toolchain
	.ci/packages run
	Fixtures/demo/run

tap:
	Fixtures/demo/tap "$(TAG)" "$(FAULT)"

test:
	.ci/toolchain
	.ci/packages test
	.ci/test

durability:
	.ci/toolchain
	.ci/packages test
	.ci/durability crash

kills:
	.ci/toolchain
	.ci/packages test
	.ci/durability kills "$(or $(KILLS),300)"

days:
	.ci/toolchain
	.ci/packages test
	.ci/durability days

attack:
	.ci/toolchain
	.ci/packages test
	.ci/attack

soak:
	.ci/toolchain
	.ci/packages test
	.ci/soak

fuzz:
	.ci/toolchain
	.ci/packages run
	.ci/fuzz

bench:
	.ci/toolchain
	.ci/packages test
	.ci/bench

doctor-score:
	.ci/toolchain
	.ci/packages test
	.ci/doctor-score

build:
	.ci/toolchain
	.ci/packages run
	swift build $(RELEASE) --product kiosk-agent

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

sounds:
	python3 sounds/make-sounds.py sounds

install: build
	.ci/install "$(DESTDIR)" "$(prefix)" "$(sysconfdir)"

uninstall:
	.ci/install --remove "$(DESTDIR)" "$(prefix)" "$(sysconfdir)"

clean:
	rm -rf .build .run
