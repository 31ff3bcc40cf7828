/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A refresh as JSON.
 */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include "watch/view.h"

struct outbuf;

/**
 * document_write() - write the rows that are shown, the error and the times, in one line
 * @v: the table
 * @out: buffer to write to
 */
void document_write(const struct view *v, struct outbuf *out);

#endif /* DOCUMENT_H */
