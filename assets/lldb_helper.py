# Runs inside lldb's own Python, started by omp-debug's lldb backend. It reads what the command line only prints, and tells it
# as JSON, one object a line, over a pipe of its own, so that nothing a program prints can be taken for an answer.
import base64, json, os, lldb


class OmpDebug:
    def __init__(self, channel):
        self.channel = os.open(channel, os.O_WRONLY)
        os.set_inheritable(self.channel, False)
        self.kept, self.stop, self.logs = [], None, {}
        self.threads = {}

    # Asked by `script omp_debug("<hexadecimal JSON>")`; whatever happens is answered.
    def __call__(self, coded):
        asked = json.loads(bytes.fromhex(coded))
        answer = {"id": asked["id"]}
        try:
            answer["body"] = getattr(self, "do_" + asked["do"])(**asked["with"])
        except Exception as error:
            answer["error"] = str(error) or type(error).__name__
        self.say(answer)

    def say(self, message):
        data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        while data:
            data = data[os.write(self.channel, data):]

    def target(self):
        return lldb.debugger.GetSelectedTarget()

    def process(self):
        return self.target().GetProcess()

    def stopped(self):
        process = self.process()
        if process.GetState() not in (lldb.eStateStopped, lldb.eStateCrashed, lldb.eStateSuspended):
            raise RuntimeError("the program is not stopped")
        if self.stop != process.GetStopID():
            self.kept, self.stop = [], process.GetStopID()
        return process

    def keep(self, thing):
        self.kept.append(thing)
        return len(self.kept)

    def found(self, reference):
        if not 0 < reference <= len(self.kept):
            raise RuntimeError("that value belongs to an earlier stop")
        return self.kept[reference - 1]

    def numbered(self, thread):
        """The number of a thread that is told. LLDB may number a thread anew after an attach; its system id stays."""
        number = thread.GetIndexID()
        self.threads[number] = thread.GetThreadID()
        return number

    def halted(self, process):
        """The thread that made the process stop: right after an attach the selected one need not be it, or may be gone."""
        idle = (lldb.eStopReasonInvalid, lldb.eStopReasonNone)
        selected = process.GetSelectedThread()
        if selected.IsValid() and selected.GetStopReason() not in idle:
            return selected
        for thread in (process.GetThreadAtIndex(i) for i in range(process.GetNumThreads())):
            if thread.GetStopReason() not in idle:
                process.SetSelectedThread(thread)
                return thread
        return selected if selected.IsValid() else process.GetThreadAtIndex(0)

    def thread(self, id):
        process = self.stopped()
        thread = process.GetThreadByIndexID(id)
        if not thread.IsValid() and id in self.threads:
            thread = process.GetThreadByID(self.threads[id])
        if not thread.IsValid():
            raise RuntimeError("there is no thread %d" % id)
        return thread

    def frame(self, thread=None, index=0):
        if thread is None:
            frame = self.stopped().GetSelectedThread().GetSelectedFrame()
        else:
            frame = self.thread(thread).GetFrameAtIndex(index)
        if not frame.IsValid():
            raise RuntimeError("there is no such frame")
        return frame

    # ---------------------------------------------------------------------------------------------- the process

    def do_prepare(self, args, env, unset):
        target = self.target()
        info = target.GetLaunchInfo()
        info.SetArguments([str(word) for word in args], False)
        target.SetLaunchInfo(info)
        environment = target.GetEnvironment()
        for name, value in env.items():
            environment.Set(name, value, True)
        for name in unset:
            environment.Unset(name)
        info.SetEnvironment(environment, False)
        target.SetLaunchInfo(info)

    def do_state(self):
        process = self.process()
        state = process.GetState()
        told = {"state": lldb.SBDebugger.StateAsCString(state), "stop": process.GetStopID(), "pid": process.GetProcessID()}
        if state == lldb.eStateExited:
            told["exit"] = process.GetExitStatus()
            told["why"] = process.GetExitDescription()
        elif state in (lldb.eStateStopped, lldb.eStateCrashed, lldb.eStateSuspended):
            thread = self.halted(process)
            told["thread"] = self.numbered(thread)
            told["reason"] = self.reason(thread)
            told["description"] = thread.GetStopDescription(1024)
            told["hit"] = self.hit(thread)
            others = ((self.numbered(t), self.hit(t)) for t in process if t.GetThreadID() != thread.GetThreadID())
            told["others"] = [other for other in others if other[1]]
        return told

    REASONS = {
        lldb.eStopReasonNone: "none",
        lldb.eStopReasonInvalid: "none",
        lldb.eStopReasonBreakpoint: "breakpoint",
        lldb.eStopReasonWatchpoint: "data breakpoint",
        lldb.eStopReasonTrace: "step",
        lldb.eStopReasonPlanComplete: "step",
        lldb.eStopReasonSignal: "signal",
        lldb.eStopReasonException: "exception",
        lldb.eStopReasonExec: "exec",
    }

    def reason(self, thread):
        return self.REASONS.get(thread.GetStopReason(), "other")

    def hit(self, thread):
        if thread.GetStopReason() != lldb.eStopReasonBreakpoint:
            return []
        return [thread.GetStopReasonDataAtIndex(i) for i in range(0, thread.GetStopReasonDataCount(), 2)]

    def do_threads(self):
        process = self.process()
        return [
            {"id": self.numbered(t), "tid": t.GetThreadID(), "name": t.GetName() or t.GetQueueName() or ""}
            for t in (process.GetThreadAtIndex(i) for i in range(process.GetNumThreads()))
        ]

    def do_modules(self, start, count):
        target = self.target()
        total = target.GetNumModules()
        end = min(total, start + (count or total))
        modules = []
        for i in range(start, end):
            module = target.GetModuleAtIndex(i)
            spec = module.GetFileSpec()
            base = module.GetObjectFileHeaderAddress().GetLoadAddress(target)
            modules.append({
                "name": spec.GetFilename() or "",
                "path": self.path(spec),
                "version": module.GetUUIDString() or None,
                "symbols": module.GetNumCompileUnits() > 0,
                "address": None if base == lldb.LLDB_INVALID_ADDRESS else hex(base),
            })
        return {"modules": modules, "total": total}

    # ------------------------------------------------------------------------------------- breakpoints, log points

    def do_breakpoints(self, ids):
        return [self.breakpoint(id) for id in ids]

    def breakpoint(self, id):
        breakpoint = self.target().FindBreakpointByID(id)
        if not breakpoint.IsValid():
            return {"id": id, "places": 0}
        told = {"id": id, "places": breakpoint.GetNumLocations(), "hits": breakpoint.GetHitCount()}
        if told["places"]:
            address = breakpoint.GetLocationAtIndex(0).GetAddress()
            entry = address.GetLineEntry()
            loaded = address.GetLoadAddress(self.target())
            # Before there is a process it is where the file has it.
            told["address"] = hex(address.GetFileAddress() if loaded == lldb.LLDB_INVALID_ADDRESS else loaded)
            if entry.IsValid():
                told.update(path=self.path(entry.GetFileSpec()), line=entry.GetLine(), column=entry.GetColumn())
        return told

    # `parts` are texts and, in lists of one, expressions.
    def do_log(self, breakpoint, parts):
        self.logs[breakpoint] = parts

    def print_log(self, frame, location):
        texts = []
        for part in self.logs.get(location.GetBreakpoint().GetID(), []):
            if isinstance(part, str):
                texts.append(part)
            else:
                value = self.evaluated(frame, part[0])
                error = value.GetError()
                texts.append("<%s>" % (error.GetCString() or "error").strip() if error.Fail() else self.shown(value))
        entry = frame.GetLineEntry()
        self.say({"log": "".join(texts) + "\n", "path": self.path(entry.GetFileSpec()), "line": entry.GetLine()})

    # --------------------------------------------------------------------------------------------- frames and values

    def path(self, spec):
        if not spec.IsValid() or not spec.GetFilename():
            return None
        return os.path.join(spec.GetDirectory() or "", spec.GetFilename())

    def do_stack(self, thread, start, count):
        thread = self.thread(thread)
        total = thread.GetNumFrames()
        frames = []
        for index in range(start, min(total, start + (count or total))):
            frame = thread.GetFrameAtIndex(index)
            entry = frame.GetLineEntry()
            frames.append({
                "index": index,
                "name": frame.GetDisplayFunctionName() or hex(frame.GetPC()),
                "pc": hex(frame.GetPC()),
                "path": self.path(entry.GetFileSpec()) if entry.IsValid() else None,
                "line": entry.GetLine() if entry.IsValid() else 0,
                "column": entry.GetColumn() if entry.IsValid() else 0,
                "module": frame.GetModule().GetFileSpec().GetFilename(),
            })
        return {"frames": frames, "total": total}

    def do_scopes(self, thread, index):
        frame = self.frame(thread, index)
        lists = [
            ("Locals", frame.GetVariables(True, True, False, True)),
            ("Globals", frame.GetVariables(False, False, True, True)),
            ("Registers", frame.GetRegisters()),
        ]
        return [{"name": name, "ref": self.keep(values), "count": values.GetSize()} for name, values in lists]

    def do_variables(self, ref, start, count):
        holder = self.found(ref)
        is_list = isinstance(holder, lldb.SBValueList)
        # Counting all children of something huge is not asked for.
        total = holder.GetSize() if is_list else holder.GetNumChildren(start + (count or 10000))
        values = []
        for index in range(start, min(total, start + (count or 10000))):
            value = holder.GetValueAtIndex(index) if is_list else holder.GetChildAtIndex(index)
            values.append(self.told(value))
        return values

    def told(self, value):
        told = {"name": value.GetName() or "", "type": value.GetDisplayTypeName() or "", "ref": 0}
        error = value.GetError()
        if error.Fail():
            told["value"] = "<%s>" % (error.GetCString() or "not available").strip()
            return told
        told["value"] = self.shown(value)
        if value.MightHaveChildren():
            count = value.GetNumChildren(10001)
            if count:
                told["ref"] = self.keep(value)
                kind = value.GetType().GetCanonicalType().GetTypeClass()
                synthetic = value.IsSynthetic() and value.GetChildAtIndex(0).GetName() == "[0]"
                told["indexed" if kind == lldb.eTypeClassArray or synthetic else "named"] = count
        stream = lldb.SBStream()
        if value.GetExpressionPath(stream) and value.GetValueType() != lldb.eValueTypeRegister:
            told["path"] = stream.GetData()
        if value.GetType().IsPointerType():
            told["memory"] = hex(value.GetValueAsUnsigned())
        elif value.GetLoadAddress() != lldb.LLDB_INVALID_ADDRESS:
            told["memory"] = hex(value.GetLoadAddress())
        return told

    def shown(self, value):
        plain, summary = value.GetValue(), value.GetSummary()
        if plain is not None:
            return "%s %s" % (plain, summary) if summary else plain
        if summary:
            return summary
        children = []
        for index in range(min(value.GetNumChildren(4), 3)):
            child = value.GetChildAtIndex(index)
            name = child.GetName() or ""
            text = child.GetValue() or child.GetSummary() or "{...}"
            children.append(text if name.startswith("[") else "%s: %s" % (name, text))
        if value.GetNumChildren(4) > 3:
            children.append("...")
        return "{%s}" % ", ".join(children)

    def evaluated(self, frame, expression):
        value = frame.GetValueForVariablePath(expression, lldb.eDynamicDontRunTarget)
        if value.IsValid() and value.GetError().Success():
            return value
        options = lldb.SBExpressionOptions()
        options.SetIgnoreBreakpoints(True)
        options.SetUnwindOnError(True)
        options.SetTimeoutInMicroSeconds(10_000_000)
        return frame.EvaluateExpression(expression, options)

    def do_evaluate(self, expression, thread, index):
        value = self.evaluated(self.frame(thread, index), expression)
        error = value.GetError()
        # An expression without a value, such as a call of a void function, is no error.
        if error.Fail() and error.GetError() != 0x1001:
            raise RuntimeError((error.GetCString() or "the expression cannot be evaluated").removeprefix("error: ").strip())
        return self.told(value) if error.Success() else {"value": "", "type": "void", "ref": 0}

    def do_set(self, ref, name, value):
        self.stopped()
        holder = self.found(ref)
        if isinstance(holder, lldb.SBValueList):
            found = holder.GetFirstValueByName(name)
        else:
            found = holder.GetChildMemberWithName(name)
            if not found.IsValid():
                children = (holder.GetChildAtIndex(i) for i in range(holder.GetNumChildren(10001)))
                found = next((child for child in children if child.GetName() == name), found)
        if not found.IsValid():
            raise RuntimeError("there is no variable %s here" % name)
        return self.assigned(found, value, self.frame())

    def do_assign(self, expression, value, thread, index):
        frame = self.frame(thread, index)
        found = self.evaluated(frame, expression)
        if found.GetError().Fail():
            raise RuntimeError((found.GetError().GetCString() or "nothing to assign to").strip())
        return self.assigned(found, value, frame)

    def assigned(self, found, text, frame):
        error = lldb.SBError()
        if not found.SetValueFromCString(text, error):
            value = self.evaluated(frame, text)
            plain = None if value.GetError().Fail() else value.GetValue()
            if plain is None or not found.SetValueFromCString(plain, error):
                raise RuntimeError((error.GetCString() or "the value cannot be set").strip())
        return self.told(found)

    # ---------------------------------------------------------------------------------------- memory, instructions

    def do_read(self, address, count):
        error = lldb.SBError()
        data = self.process().ReadMemory(address, count, error) if count else b""
        if error.Fail():
            raise RuntimeError(error.GetCString())
        return base64.b64encode(data or b"").decode()

    def do_write(self, address, data):
        error = lldb.SBError()
        written = self.process().WriteMemory(address, base64.b64decode(data), error)
        if error.Fail():
            raise RuntimeError(error.GetCString())
        return written

    def do_disassemble(self, address, offset, count):
        target = self.target()
        start = lldb.SBAddress(address, target)
        told = []
        if offset < 0:
            # Instructions differ in length: what lies before is known only from the function's own beginning.
            symbol = start.GetFunction() if start.GetFunction().IsValid() else start.GetSymbol()
            known = symbol.GetInstructions(target) if symbol.IsValid() else []
            before = [i for i in known if i.GetAddress().GetLoadAddress(target) < address][offset:]
            told += [{"address": hex(max(0, address - k)), "instruction": "(invalid)"} for k in range(-offset - len(before), 0, -1)]
            told += [self.instruction(i, target) for i in before]
            told = told[:count]
            offset = 0
        following = target.ReadInstructions(start, offset + count - len(told)) if count > len(told) else []
        return told + [self.instruction(i, target) for i in list(following)[offset:]]

    def instruction(self, instruction, target):
        address = instruction.GetAddress()
        data = instruction.GetData(target)
        error = lldb.SBError()
        raw = data.ReadRawData(error, 0, data.GetByteSize()) or b""
        comment = instruction.GetComment(target)
        text = "%s %s" % (instruction.GetMnemonic(target), instruction.GetOperands(target))
        entry = address.GetLineEntry()
        return {
            "address": hex(address.GetLoadAddress(target)),
            "bytes": raw.hex(" "),
            "instruction": text.strip() + (" ; " + comment if comment else ""),
            "symbol": address.GetSymbol().GetDisplayName() if address.GetSymbol().IsValid() else None,
            "path": self.path(entry.GetFileSpec()) if entry.IsValid() else None,
            "line": entry.GetLine() if entry.IsValid() else 0,
        }


def omp_debug_hit(frame, location, *rest):
    omp_debug.print_log(frame, location)
    return False
