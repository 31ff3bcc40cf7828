/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands. Each takes its own name as argv[0] and returns EXIT_*; none
 * exits by itself.
 */
#ifndef COMMAND_H
#define COMMAND_H

int cmd_record(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_allocinfo(int argc, char **argv);
int cmd_codetags(int argc, char **argv);

#endif /* COMMAND_H */
