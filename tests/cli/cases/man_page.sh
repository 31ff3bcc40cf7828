# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

"$top/tests/cli/options.sh" "$tool" "$top/tools/kmemtrace-user/kmemtrace-user.8" >options.log
status=$?
sed 's/^/# /' options.log
verdict $status "help texts, man page and letters of options agree"
page_lacks() { # SED-SCRIPT EXPECTED: the check finds the error in the changed man page
	sed "$1" "$top/tools/kmemtrace-user/kmemtrace-user.8" >changed.8
	! "$top/tests/cli/options.sh" "$tool" changed.8 >options.log &&
		grep -qF -- "$2" options.log && [ "$(wc -l <options.log)" -eq 1 ]
	verdict $? "... the check finds: $2"
}
page_lacks '/^\.BR .*\\-\\-duration/d' 'the help text alone has record: -d, --duration TIME'
page_lacks 's/^\.B \\-\\-drop$/&\n.TQ\n.B \\-\\-moon/' 'the man page alone has snapshot: --moon'
page_lacks '/^\.B kmemtrace-user codetags load$/,/^\.br$/d' 'the help text alone has synopsis: codetags load [OPTION]...'

# an option that a message names belongs to its command, or comes after another command
python3 "$top/tests/cli/message_options.py" "$tool" "$expected" >options.log
verdict $? "the options that messages name exist" || sed 's/^/# /' options.log
mkdir changed
echo 'leaks-wrong leaks golden.kmt => 1, use a longer --moon; see record --flight' >changed/leaks.txt
"$top/tests/cli/message_options.py" "$tool" changed >options.log
[ $? -eq 1 ] && grep -q '^leaks has no --moon: use a longer' options.log && ! grep -q "no --flight" options.log
verdict $? "... the check finds one that does not"
rm -r changed

# "1 gap"; a table may have the number 1 before the column of a kind, as "pages"
nouns='gap|part|allocation|record|event|free|chunk|feature|slab|object|CPU|byte|site|row|tag|violation'
! grep -nE "(^|[ ;:(\"'])1 ($nouns)s([ ,;:]|[.]( |$)|$)" "$expected"/*.txt >plural.log
verdict $? "no output says \"1 gaps\"" || sed 's/^/# /' plural.log

# "report --by cache --sort total_waste": the help text of report has the column
grep -ohE '(allocinfo|pages|report|top|waste) [a-z -]*--sort [a-z_]+' "$top"/{README.md,Documentation/*.rst} |
	while read -r command words; do
		"$tool" "$command" --help | tr -s ' ,' '\n' | grep -qx "${words##* }" ||
			echo "# $command has no column ${words##* }"
	done >sort.log
[ ! -s sort.log ]
verdict $? "the columns that the documents sort by exist" || cat sort.log
