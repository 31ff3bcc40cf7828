# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check html-help html --help
check html-missing html nowhere.kmt
check html-bad-time html --since moon golden.kmt
check html-after-end html --since 200% -o after.html golden.kmt
streamed stacks.kmt html-pipe html -o piped.html
[ ! -e piped.html ]
verdict $? "html leaves no file if it fails"
check html-output-is-directory html -o little golden.kmt

# the document in the page
# shellcheck disable=SC2317 # called by check_through
page_data() {
	python3 "$top/tests/html/page.py" | sed "s/\"$(uname -r)\"/\"RELEASE\"/"
}
check_through page_data html-tasks html -o - tasks.kmt
like=html-tasks check_through page_data html-stacks \
	html --filter 'call_site.function == beta' -o - stacks.kmt
like=html-tasks check_through page_data html-raw html --raw-ip -o - little/cpu0.out little/cpu1.out
"$tool" html --raw-ip -o - leak.kmt 2>/dev/null | python3 "$top/tests/html/page.py" >addresses
grep -q '^waste:' addresses && ! grep -qE '\b(alpha|beta|gamma)\b' addresses
verdict $? "html --raw-ip prints no function"
like=html-raw check_through page_data html-no-frees html -o - no-frees.kmt
like=html-tasks check_through page_data html-filter \
	html --since 1.02 --filter 'cpu == 1' -o - golden.kmt
like=html-tasks check_through page_data html-nothing html --filter 'bytes_req > 1G' -o - basic.kmt

# states of accounting
check_through page_data html-state html -o - tags-now.tags
check html-live-file html --live tags-now.tags
check html-state-filter html --filter 'cpu == 1' tags-now.tags
check html-two-states html tags-now.tags tags-then.tags
check html-no-module html --live
new_machine
# ages of all live objects; tag 6 has none
(cd machine && {
	cat frames
	printf 'age %s\n' '2 1 1 4096' '2 3 1 4096' '3 4 8 69632' '4 0 6 28672' '5 9 6 24576' \
		'7 0 1 4096' '8 0 1 8192' '9 2 2 8192' '10 5 2 640' '10 2 2 640' '11 0 4 4608'
} | ../mkpages) || exit 1
like=html-raw check_through page_data html-live html --live -o -
python3 "$top/tests/html/totals.py" "$tool" --live >differences
verdict $? "the page of live memory has the figures of allocinfo" ||
	head -c 4000 differences | sed 's/^/# /'

# the ages of pages are not known, or none are: the flags are the sixth number of the file
printf '\1' | dd of=machine/ages bs=1 seek=20 conv=notrunc 2>/dev/null
"$tool" html --live -o - | python3 "$top/tests/html/page.py" keys | sed 's/^/html /' >found
cat found >>"$work/keys"
grep -q '^html no_pages$' found
verdict $? "the page of live memory tells that the ages of pages are not known"
mv machine/ages ages
"$tool" html --live -o part.html 2>message
[ $? -eq 1 ] && [ -s message ] && python3 "$top/tests/html/page.py" <part.html >found &&
	grep -q '^ ages: {"why": "the module.s file ages could not be read; leaks prints the reason"}' found
verdict $? "html --live without the file ages fails, and the page tells the reason"
mv ages machine/ages

# a site that leaks: the clock and the file ages are those of leak_clock.c
quietly() { # OUTPUT ARGUMENT...
	./leak_objects machine/ages 0
	LD_PRELOAD=$work/leak_clock.so LEAKING=$work/machine/ages "$tool" "${@:2}" >"$1"
}
quietly leaks.json leaks --for 60 --stacks 0 --json
quietly leaking.html html --live --for 60 -o -
python3 "$top/tests/html/totals.py" "$tool" leaking.html=leaks.json >differences
verdict $? "the page of live memory has the verdicts of leaks" ||
	head -c 4000 differences | sed 's/^/# /'
python3 "$top/tests/html/page.py" keys <leaking.html | sed 's/^/html /' >>"$work/keys"
check html-for-short html --live --for 10 -o -
check html-for-wrong html --live --for moon
check html-for-recording html --for 60 golden.kmt
check html-for-state html --for 60 tags-now.tags
no_memory html --live -o -

# a part that cannot be read
rm machine/caches_live
"$tool" html --live -o part.html 2>message
[ $? -eq 1 ] && [ -s message ] && python3 "$top/tests/html/page.py" <part.html | grep -A1 '^caches' |
	grep -q 'why: "it could not be read; top --by cache prints the reason"'
verdict $? "html --live without a part fails, and the page tells the part"
sed -i 's/^accounting 1/accounting 0/' machine/stats
check html-for-off html --live --for 60 -o off.html
[ ! -e off.html ]
verdict $? "html --live --for leaves no file if it cannot observe"
export KMEMTRACE_DIR=$work/nowhere
unset KMEMTRACE_PROC KMEMTRACE_SYS

# names that would be markup, end the document, or break a terminal
described=$top/tests/cli/described
sed -e 's/ T alpha$/ T al;p"h\\\\a<\/script><b>\x1b[31m\xff/' -e 's/\[mod\]$/[m;"od]/' \
	-e 's/ dentry$/ <!--den;"\xc3\x28\xe2\x80\xa8try/' "$described/basic.txt" |
	./mktrace little >hostile-page.kmt
like=html-tasks check_through page_data html-hostile html -o - hostile-page.kmt

for file in tasks golden; do
	"$tool" html -o - $file.kmt 2>/dev/null | python3 "$top/tests/html/page.py" keys |
		sed 's/^/html /' >>"$work/keys"
done

# the figures of other commands
# shellcheck disable=SC2046 # names without blanks
python3 "$top/tests/html/totals.py" "$tool" $(recordings) >differences
verdict $? "the page has the figures of report and timeline" ||
	head -c 4000 differences | sed 's/^/# /'

# nothing in the page is loaded from elsewhere
"$tool" html -o page.html stacks.kmt 2>/dev/null
! grep -nE '(src|href)=|url\(|@import|https?://' page.html | grep -v 'http://www.w3.org/2000/svg' >found
verdict $? "the page loads nothing" || sed 's/^/# /' found
private page.html
keeps page.html html -o page.html stacks.kmt

no_memory html -o - basic.kmt
no_memory html -o - tags-now.tags
