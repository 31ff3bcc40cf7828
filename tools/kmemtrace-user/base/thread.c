// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/thread.h"

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

void thread_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

void thread_go_first(void)
{
	struct sched_param lowest = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &lowest))
		setpriority(PRIO_PROCESS, 0, -20);
}
