# SPDX-License-Identifier: GPL-2.0-only
#
# The targets for users; the kernel's build system reads Kbuild instead.
# `make help` lists the targets.

VERSION := 0.1.0

# the kernel to build the module for
KDIR ?= /lib/modules/$(shell uname -r)/build
# where things are installed
DESTDIR ?=
PREFIX ?= /usr/local
# the kernels of modules-for-guests, demo and bench. Other names: newest, from the backports of
# a newer Debian; 6.1-rt, 6.12-rt; debug, kcsan, clang and bench, which are built
KERNELS ?= 6.1 6.12
# limits for each parser: number of inputs, seconds; 0: no limit
FUZZ_RUNS ?= 10000000
FUZZ_SECONDS ?= 0
FUZZ_SEED ?= 1
FUZZ_TARGETS ?= *

# the benchmarks that make bench runs, tests/bench/*.sh
BENCH ?= events burst files pages userspace

CC := gcc
PKGS := liburcu-cds libzstd zlib jansson libdw libelf ncursesw libcrypt sqlite3
# set it to nothing to build with a compiler that prints other warnings
WERROR ?= -Werror
WARNINGS := -Wall -Wextra $(WERROR) -Wno-address-of-packed-member
FORTIFY := $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),, \
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDENING := $(FORTIFY) -fstack-protector-strong -fstack-clash-protection -fPIE
INCLUDES := -Iinclude/uapi -Ilib -Itools/kmemtrace-user
CFLAGS ?= -O2 -g
BASE_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DKMEMTRACE_VERSION='"$(VERSION)"' \
	$(WARNINGS) $(INCLUDES) $(shell pkg-config --cflags $(PKGS)) -MMD -MP
TOOL_LIBS = $(shell pkg-config --libs $(PKGS)) -lpthread -lm
TOOL_LDFLAGS := -pie -Wl,-z,relro,-z,now

TOOL_SRC := $(wildcard tools/kmemtrace-user/*.c tools/kmemtrace-user/*/*.c lib/*.c)
TOOL_OBJ := $(TOOL_SRC:%.c=build/obj/%.o)
PARTS := $(filter-out %/main.c,$(TOOL_SRC))
UNIT_SRC := $(wildcard tests/unit/*/test_*.c)
UNITS := $(UNIT_SRC:tests/unit/%.c=build/unit/%)
# tests of code with threads also run under TSan
TSAN_UNITS := $(filter %/test_stream %/test_feed %/test_trace %/test_recorder %/test_packers \
	%/test_batch %/test_buffers %/test_streams %/test_halves,$(UNITS))
FUZZ_CC := clang
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
# small tables and buffers, so that short inputs fill them
FUZZ_SMALL := -DMEMO_BITS=4 -DMAP_BITS=3 -DPAIRS_BITS=1 -DCACHES_MAX=1000 \
	-DSIZES_BITS_AT_FIRST=2 -DRAW_PIECE=65536 -DHELD_MAX=32768 \
	-DFRAMES_BATCH=512 -DRUN=64 -DBATCH=256 -DPAGESCAN_ENTRIES=128 \
	-DWINDOW_SIZE=64 -DORDER_PUT_MAX=128
FUZZ_SRC := $(wildcard tests/fuzz/*/fuzz_*.c)
FUZZERS := $(FUZZ_SRC:tests/fuzz/%.c=build/fuzz/%)
FUZZ_OWN := $(filter-out $(FUZZ_SRC),$(wildcard tests/fuzz/*.c))
KSELFTEST_SRC := $(wildcard tests/kselftest/*.c)

# one short line for each file; V=1 prints the commands
ifeq ($(V),)
Q := @
say = @printf '  %-7s %s\n' $1 $(@:$(CURDIR)/%=%)
endif

.DEFAULT_GOAL := all
.PHONY: all module tool check check-all proofs check-newest stress fuzz demo bench deb deps install \
	install-tool install-module install-client uninstall clean help modules-for-guests \
	kselftest units threads fuzzers mutation dist compile_commands

all: tool module ## the tool, and the module for the running kernel (KDIR=)

tool: build/kmemtrace-user build/obj/parts.a ## the tool alone

build/kmemtrace-user: $(TOOL_OBJ)
	$(call say,LD)
	$(Q)$(CC) $(TOOL_LDFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS)

# What the tool consists of, without main.c; each sanitizer has its own build. Programs of
# the tests are linked from these archives, and have only the objects that they use.
build/obj/parts.a: $(PARTS:%.c=build/obj/%.o)
build/asan/parts.a: $(PARTS:%.c=build/asan/%.o)
build/tsan/parts.a: $(PARTS:%.c=build/tsan/%.o)
build/fuzz/parts.a: $(PARTS:%.c=build/fuzz/obj/%.o) $(FUZZ_OWN:%.c=build/fuzz/obj/%.o)
%/parts.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)ar rcsP $@ $^

build/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) $(HARDENING) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# the assembler includes these files
$(foreach build,obj asan tsan fuzz/obj, \
	$(foreach file,export/cmd_flame export/sqlite html/cmd_html, \
		build/$(build)/tools/kmemtrace-user/$(file).o)): \
	$(wildcard $(addprefix tools/kmemtrace-user/*/*.,html css js sql))

module: ## the module alone: build/module/kmemtrace.ko
	@echo '  MODULE  build/module/kmemtrace.ko'
	@PARTS= scripts/module.sh "$(KDIR)" build/module $(foreach name,CC LLVM, \
		$(if $(filter command%,$(origin $(name))),'$(name)=$($(name))'))

deps: ## install the Debian packages for building and testing
	scripts/deps.sh

# sparse takes as long as the compiler; its findings hardly depend on the kernel
modules-for-guests:
	@scripts/qemu.sh
	@scripts/kernels.sh $(filter 6.% newest,$(KERNELS))
	@scripts/build-kernel.sh $(filter-out 6.% newest,$(KERNELS))
	@for k in $(KERNELS); do \
		c=0; [ $$k != 6.12 ] || c=1; \
		scripts/module.sh "$${KMEMTRACE_CACHE:-$$HOME/.cache/kmemtrace}/kernels/$$k/headers" \
			"build/module-$$k" W=1 C=$$c || exit 1; \
	done

kselftest: build/obj/parts.a
	@mkdir -p build/kselftest
	@rsync -a --delete --exclude='*.c' --exclude='*.h' --exclude=Makefile --exclude=doc \
		tests/kselftest/ build/kselftest/
	@mkdir -p build/kselftest/doc
	@cp Documentation/guide.rst README.md tools/kmemtrace-user/kmemtrace-user.8 \
		build/kselftest/doc/
	@$(MAKE) --no-print-directory -C tests/kselftest \
		OUTPUT="$(CURDIR)/build/kselftest" TOP="$(CURDIR)" CC="$(CC)"

check: ## the gate: what each change must pass
	@exec tests/check.sh gate

check-all: ## all tests that have not passed (GROUPS=PATTERNS, FRESH=1; STATUS=1 lists them)
	@exec tests/check.sh $(if $(STATUS),status,all) "$(GROUPS)"

proofs: ## keep in tests/proofs.txt which groups have passed, for clones on other machines
	@exec tests/check.sh proofs

check-newest: ## the gate with the newest kernels and QEMU of today, to see what breaks (GROUPS=)
	@exec tests/check.sh newest "$(GROUPS)"

# KERNELS=, CPUS= and TESTS= (patterns) choose the tests in guests
check-%: ## some groups, passed or not: style, unit, cli, guest, deb, debug, oracle, ... (tests/groups.sh)
	@exec tests/check.sh run "$*"

stress: check-stress ## all operations at once, at random (STRESS_SECONDS=, STRESS_SEED=, STRESS_CPUS=)

fuzz: ## fuzz the parsers (FUZZ_RUNS=, FUZZ_SECONDS=, FUZZ_SEED=, FUZZ_TARGETS=)
	@scripts/deps.sh
	@$(MAKE) --no-print-directory fuzzers
	@tests/fuzz/run.sh -n $(FUZZ_RUNS) -t $(FUZZ_SECONDS) -s $(FUZZ_SEED) \
		-k '$(FUZZ_TARGETS)'

demo: ## boot a stock kernel, record a workload, show the report
	@scripts/deps.sh
	@$(MAKE) --no-print-directory tool
	@$(MAKE) --no-print-directory modules-for-guests KERNELS=6.12
	@tests/vm/demo.sh

bench: ## measure its cost and that of other tools (BENCH=, KERNELS=; builds a kernel)
	@scripts/deps.sh
	@$(MAKE) --no-print-directory tool
	@$(MAKE) --no-print-directory modules-for-guests
	@KERNELS="$(KERNELS)" tests/bench/run.sh $(BENCH)

mutation: build/obj/parts.a ## how many changes of the sources the unit tests notice (FILES=, COUNT=)
	@tests/mutation/run.py -n $(or $(COUNT),40) \
		'$(CC) $(subst ','\'',$(BASE_CFLAGS)) -Itests -Itests/unit' '$(UNIT_LIBS)' \
		$(or $(FILES),$(wildcard lib/*.c) $(wildcard tools/kmemtrace-user/trace/*.c))

units: $(UNITS)

threads: $(TSAN_UNITS:%=%.tsan)

UNIT_LIBS = $(TOOL_LIBS) $(shell pkg-config --libs check)
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all
TSAN := -fsanitize=thread

build/unit/%: build/asan/tests/unit/%.o build/asan/parts.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ASAN) $(UNIT_LDFLAGS) -o $@ $^ $(UNIT_LIBS)

build/unit/record/test_recorder build/unit/record/test_recorder.tsan: \
	UNIT_LDFLAGS := -Wl,--wrap=sink_write,--wrap=sink_finish,--wrap=flock,--wrap=signalfd
build/unit/trace/test_packers build/unit/trace/test_packers.tsan: \
	UNIT_LDFLAGS := -Wl,--wrap=sink_write,--wrap=sink_fail
build/unit/record/test_streams build/unit/record/test_streams.tsan: \
	UNIT_LDFLAGS := -Wl,--wrap=poll,--wrap=thread_start
build/unit/report/test_halves build/unit/report/test_halves.tsan: \
	UNIT_LDFLAGS := -Wl,--wrap=pthread_create
build/unit/leaks/test_held: UNIT_LDFLAGS := -Wl,--wrap=statfs,--wrap=msgctl,--wrap=semctl,--wrap=shmctl
build/unit/leaks/test_observe: \
	UNIT_LDFLAGS := -Wl,--wrap=clock_now,--wrap=clock_wait_until,--wrap=clock_wait_for_signal
build/unit/process/test_comparison: UNIT_LDFLAGS := -Wl,--wrap=footprint_read
build/unit/process/test_footprint: UNIT_LDFLAGS := -Wl,--wrap=frames_gather
build/unit/report/test_errors: UNIT_LDFLAGS := -Wl,--wrap=pread,--wrap=read

build/unit/%.tsan: build/tsan/tests/unit/%.o build/tsan/parts.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(TSAN) $(UNIT_LDFLAGS) -o $@ $^ $(UNIT_LIBS)

build/asan/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) -Itests -Itests/unit -O1 -g $(ASAN) -c -o $@ $<

build/tsan/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) -Itests -Itests/unit -O1 -g $(TSAN) -c -o $@ $<

fuzzers: $(FUZZERS) build/fuzz/seeds

build/fuzz/seeds: build/obj/parts.a $(wildcard tests/fuzz/seeds/* tests/filter_*.h \
		tests/cli/described/* tests/cli/described/machine/*)
	$(call say,SEEDS)
	$(Q)tests/fuzz/seeds/make.sh

$(FUZZERS): build/fuzz/%: build/fuzz/obj/tests/fuzz/%.o build/fuzz/parts.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(FUZZ_CC) $(FUZZ_SANITIZE) -fsanitize=fuzzer $(FUZZ_LDFLAGS) -o $@ $^ \
		$(TOOL_LIBS)

build/fuzz/control/fuzz_control: FUZZ_LDFLAGS := -Wl,--wrap=control_write \
	-Wl,--wrap=nanosleep
build/fuzz/memory/fuzz_machine: FUZZ_LDFLAGS := -Wl,--wrap=usleep

build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(FUZZ_CC) $(BASE_CFLAGS) -Itests -Itests/fuzz -O2 -g $(FUZZ_SANITIZE) \
		$(FUZZ_SMALL) $(FUZZ_TRACED) -c -o $@ $<

# libFuzzer measures coverage of the tool only; the tests would mislead it
build/fuzz/obj/%.o: FUZZ_TRACED := -fsanitize=fuzzer-no-link
build/fuzz/obj/tests/%.o: FUZZ_TRACED :=

# where files are installed; CLIENT_DIR has the headers and symbols for other modules
USR = $(DESTDIR)$(PREFIX)
MAN_PAGE = $(USR)/share/man/man8/kmemtrace-user.8
COMPLETION = $(USR)/share/bash-completion/completions/kmemtrace-user
KERNEL = $(shell $(MAKE) -s -C "$(KDIR)" kernelrelease)
MODULE = $(DESTDIR)/lib/modules/$(KERNEL)/updates/kmemtrace.ko
CLIENT_DIR = $(USR)/lib/kmemtrace
MODULE_BUILD ?= build/module/kmemtrace

install: install-tool install-module ## install tool, module, headers, man page (DESTDIR=, PREFIX=)

install-tool: tool
	install -D -m 755 -t "$(USR)/bin" build/kmemtrace-user
	install -D -m 644 tools/kmemtrace-user/kmemtrace-user.8 "$(MAN_PAGE)"
	install -D -m 644 tools/kmemtrace-user/completion.bash "$(COMPLETION)"
	install -D -m 644 -t "$(USR)/include/linux" include/uapi/linux/*.h

install-module: module install-client
	install -D -m 644 build/module/kmemtrace.ko "$(MODULE)"
	[ -n "$(DESTDIR)" ] || depmod "$(KERNEL)"

# uses Module.symvers of the module in MODULE_BUILD
install-client:
	install -D -m 644 -t "$(CLIENT_DIR)/include/linux" include/linux/*.h
	install -D -m 644 -t "$(CLIENT_DIR)/include/trace/events" \
		include/trace/events/*.h
	install -m 644 "$(MODULE_BUILD)/Module.symvers" "$(CLIENT_DIR)/"

uninstall: ## undo install, with the same DESTDIR=, PREFIX=, KDIR=
	rm -f "$(USR)/bin/kmemtrace-user" "$(MAN_PAGE)" "$(COMPLETION)" \
		$(patsubst include/uapi/%,"$(USR)/include/%", \
			$(wildcard include/uapi/linux/*.h)) "$(MODULE)"
	rm -rf "$(CLIENT_DIR)"
	[ -n "$(DESTDIR)" ] || depmod "$(KERNEL)"

deb: ## build kmemtrace-dkms and kmemtrace-user, as Debian packages, in build/deb
	@scripts/deb.sh

dist: ## the committed sources as build/kmemtrace-VERSION.tar.gz
	@mkdir -p build
	git archive --prefix=kmemtrace-$(VERSION)/ -o build/kmemtrace-$(VERSION).tar.gz HEAD

# the quotes in BASE_CFLAGS are escaped, because they must reach the file unchanged
compile_commands: ## compile_commands.json, for clangd and the like
	@scripts/compile_commands.sh "$(realpath $(KDIR))" \
		'$(CC) $(subst ','\'',$(BASE_CFLAGS)) -Itests -Itests/unit $(CFLAGS)' \
		$(TOOL_SRC) $(UNIT_SRC) >compile_commands.json
	@echo "compile_commands.json: $$(grep -c '"file"' compile_commands.json) files"

clean: ## remove all built files
	rm -rf build compile_commands.json

help: ## this list
	@awk -F ':.*## ' '/^[a-z_%-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' \
		Makefile

-include $(TOOL_OBJ:.o=.d) $(foreach d,lib tools/*/* tests/*/*, \
	$(wildcard build/fuzz/obj/$d.d build/fuzz/obj/$d/*.d \
		build/[at]san/$d.d build/[at]san/$d/*.d))
