"""Has a program under debugpy stop at one breakpoint after the other, where several threads come to theirs at the same moment.

debugpy tells of one of them; the others go on with it, and nobody ever hears that they were there. Where it does tell of a second one,
that may cross the request to go on, which is then answered by the next one, or it is over before it is looked at. So a thread that
comes to a breakpoint while another is shown waits, and is shown when the program is told to go on; and no request lets a thread go on
that has not been shown yet. Steps let all threads go on, as they always did.
"""


def install_stops():
    import pydevd
    from _pydev_bundle import pydev_log
    from _pydevd_bundle import pydevd_api, pydevd_comm_constants as commands, pydevd_thread_lifecycle as lifecycle
    from _pydevd_bundle._debug_adapter.pydevd_base_schema import build_response
    from _pydevd_bundle.pydevd_constants import ForkSafeLock
    from _pydevd_bundle.pydevd_net_command import NetCommand
    from _pydevd_bundle.pydevd_process_net_command_json import PyDevJsonCommandProcessor as Requests

    Debugger, Stops = pydevd.PyDB, pydevd.ThreadsSuspendedSingleNotification
    is_older = Stops.on_thread_suspend.__code__.co_argcount != 4
    if is_older or hasattr(Debugger, "omp_debug_stops"):
        return  # Before 1.6.7, which stops as it always did; forked, or somebody was here before.
    Debugger.omp_debug_stops = True
    OWN = {
        commands.CMD_SET_BREAK,
        commands.CMD_SET_FUNCTION_BREAK,
        commands.CMD_STEP_CAUGHT_EXCEPTION,
        commands.CMD_ADD_EXCEPTION_BREAK,
    }
    NO_NUMBER_YET = "thread._ident is None in _get_related_thread!"
    suspend, suspended, resumed, tell = Debugger.set_suspend, Stops.on_thread_suspend, Stops.on_thread_resume, Stops.send_suspend_notification
    mark, run, complain = lifecycle.mark_thread_suspended, lifecycle.internal_run_thread, pydev_log.critical
    tell_late, proceed, leave = Stops._notify_after_timeout, Requests.on_continue_request, Requests.on_disconnect_request

    # Taken before any of its own.
    lock = ForkSafeLock(rlock=True)
    # Threads that are about to stand, stand and are still to be shown, and the number of the one that is shown.
    coming, waiting, shown = set(), {}, []

    def set_suspend(self, thread, stop_reason, *others, **named):
        with lock:
            is_here = not named.get("suspend_requested") and self.multi_threads_single_notification
            if stop_reason in OWN and is_here:
                coming.add(id(thread))
            return suspend(self, thread, stop_reason, *others, **named)

    def mark_thread_suspended(thread, *others, **named):
        # For the sake of another one: it keeps its own reason.
        if id(thread) in coming and named.get("main_suspend") is False:
            return lifecycle.set_additional_thread_info(thread)
        return mark(thread, *others, **named)

    def internal_run_thread(thread, *others, **named):
        if id(thread) not in coming:
            run(thread, *others, **named)

    def on_thread_suspend(self, thread_id, thread, stop_reason):
        with lock:
            if id(thread) in coming:
                coming.discard(id(thread))
                if any(each in self._suspended_thread_id_to_thread for each in shown):
                    hit = getattr(thread.additional_info, "hit_breakpoint_ids", None) or ()
                    lines = {line for number, line in lines_of(self._py_db()) if number in hit}
                    waiting[thread_id] = thread, stop_reason, lines
                    self._suspended_thread_id_to_thread[thread_id] = thread
                    return
                # All others may have been let go since it began to stop.
                suspend(self._py_db(), thread, stop_reason)
            suspended(self, thread_id, thread, stop_reason)

    def on_thread_resume(self, thread_id, thread):
        with lock:
            waiting.pop(thread_id, None)
            if shown and thread_id not in shown:
                # It goes on late: another one is shown by now.
                self._suspended_thread_id_to_thread.pop(thread_id, None)
            else:
                resumed(self, thread_id, thread)

    def send_suspend_notification(self, thread_id, thread, stop_reason):
        with lock:
            shown[:] = [thread_id]
            # A thread that stops before another has gone on keeps that one, too: who asked for it is to be answered all the same.
            with self._callbacks_lock:
                answers, self._callbacks = self._callbacks, []
            for answer in answers:
                answer()
            tell(self, thread_id, thread, stop_reason)

    def _notify_after_timeout(self, global_suspend_time):
        with lock:
            tell_late(self, global_suspend_time)

    def lines_of(debugger):
        return ((number, (path, each.line)) for path, known in debugger.file_to_id_to_line_breakpoint.items() for number, each in known.items())

    def is_wanted(debugger, info, lines):
        """Whether the breakpoint that it came to was not taken away meanwhile; it has another number if one beside it was."""
        numbers = [number for number, line in lines_of(debugger) if line in lines]
        if numbers:
            info.hit_breakpoint_ids = numbers
        return bool(numbers) or not lines

    def on_continue_request(self, py_db, request):
        with lock:
            shown.clear()
            while waiting:
                thread_id = next(iter(waiting))
                thread, stop_reason, lines = waiting.pop(thread_id)
                if is_wanted(py_db, thread.additional_info, lines):
                    answer = build_response(request, kwargs={"body": {"allThreadsContinued": True}})
                    py_db.writer.add_command(NetCommand(commands.CMD_RETURN, 0, answer, is_json=True))
                    py_db.threads_suspended_single_notification.send_suspend_notification(thread_id, thread, stop_reason)
                    return None
            return proceed(self, py_db, request)

    def stepping(step):
        def internal_step(*others, **named):
            # In the thread that stands, which the others go on with: whoever stops before it has gone is to be told of at once.
            with lock:
                waiting.clear()
                shown.clear()
                step(*others, **named)

        return internal_step

    def on_disconnect_request(self, py_db, request):
        with lock:
            for each in (coming, waiting, shown):
                each.clear()
            return leave(self, py_db, request)

    def critical(message, *others):
        # It says so of each thread that is just being started while another one stops, and nobody can do anything about it.
        if not str(message).startswith(NO_NUMBER_YET):
            complain(message, *others)

    Debugger.set_suspend = set_suspend
    lifecycle.mark_thread_suspended, lifecycle.internal_run_thread = mark_thread_suspended, internal_run_thread
    Stops.on_thread_suspend, Stops.on_thread_resume = on_thread_suspend, on_thread_resume
    Stops.send_suspend_notification, Stops._notify_after_timeout = send_suspend_notification, _notify_after_timeout
    Requests.on_continue_request, Requests.on_disconnect_request = on_continue_request, on_disconnect_request
    for name in ("internal_step_in_thread", "internal_smart_step_into"):
        setattr(pydevd_api, name, stepping(getattr(pydevd_api, name)))
    pydev_log.critical = critical


try:
    install_stops()
except (ImportError, AttributeError):
    pass  # Another debugpy: it stops as it always did.
