# Runs inside lldb's own Python, started by omp-debug's lldb backend. It reads what the command line only prints, and tells it
# as JSON, one object a line, over a pipe of its own, so that nothing a program prints can be taken for an answer.
import base64, json, os, lldb


class OmpDebug:
    def __init__(self, channel):
        self.channel = os.open(channel, os.O_WRONLY)
        os.set_inheritable(self.channel, False)
        self.kept, self.frames, self.stop, self.logs = [], [], None, {}
        self.threads = {}

    # Asked by `script omp_debug("<hexadecimal JSON>")`; whatever happens is answered.
    def __call__(self, coded):
        asked = json.loads(bytes.fromhex(coded))
        answer = {"id": asked["id"]}
        try:
            answer["body"] = getattr(self, "do_" + asked["do"])(**(asked["with"] or {}))
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
            self.kept, self.frames, self.stop = [], [], process.GetStopID()
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

    def frame_id(self, thread, index):
        """The number of a frame that is told: its place, from 1, among those of this stop."""
        if (thread, index) not in self.frames:
            self.frames.append((thread, index))
        return self.frames.index((thread, index)) + 1

    def frame(self, id=None):
        process = self.stopped()
        if id is None:
            frame = process.GetSelectedThread().GetSelectedFrame()
        elif 0 < id <= len(self.frames):
            thread, index = self.frames[id - 1]
            frame = self.thread(thread).GetFrameAtIndex(index)
        else:
            raise RuntimeError("frame %d belongs to an earlier stop" % id)
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

    # Requests have the protocol's names and arguments, and are answered in its words; arguments that nothing is made of are passed over.

    def do_threads(self, **_):
        process = self.process()
        return {"threads": [
            {"id": self.numbered(t), "name": t.GetName() or t.GetQueueName() or "thread %d" % t.GetThreadID()}
            for t in (process.GetThreadAtIndex(i) for i in range(process.GetNumThreads()))
        ]}

    def do_modules(self, startModule=0, moduleCount=0, **_):
        target = self.target()
        total = target.GetNumModules()
        start = max(0, startModule)
        end = min(total, start + (max(0, moduleCount) or total))
        modules = []
        for i in range(start, end):
            module = target.GetModuleAtIndex(i)
            spec = module.GetFileSpec()
            base = module.GetObjectFileHeaderAddress().GetLoadAddress(target)
            name, path = spec.GetFilename() or "", self.path(spec)
            modules.append({
                "id": path or name,
                "name": name,
                "path": path,
                "version": module.GetUUIDString() or None,
                "symbolStatus": "Symbols loaded." if module.GetNumCompileUnits() > 0 else "Symbols not found.",
                "addressRange": None if base == lldb.LLDB_INVALID_ADDRESS else hex(base),
            })
        return {"modules": modules, "totalModules": total}

    # ------------------------------------------------------------------------------------- breakpoints, log points

    def do_breakpoints(self, ids):
        return [self.breakpoint(id) for id in ids]

    def breakpoint(self, id):
        breakpoint = self.target().FindBreakpointByID(id)
        if not breakpoint.IsValid() or not breakpoint.GetNumLocations():
            return {"id": id, "verified": False, "message": "no code is loaded for it yet", "reason": "pending"}
        address = breakpoint.GetLocationAtIndex(0).GetAddress()
        entry = address.GetLineEntry()
        loaded = address.GetLoadAddress(self.target())
        # Before there is a process it is where the file has it.
        place = hex(address.GetFileAddress() if loaded == lldb.LLDB_INVALID_ADDRESS else loaded)
        told = {"id": id, "verified": True, "instructionReference": place}
        if entry.IsValid():
            told.update(self.located(entry))
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
        at = self.located(frame.GetLineEntry())
        if not at["source"]:
            at = {}
        self.say({"output": {"category": "console", "output": "".join(texts) + "\n", **at}})

    # --------------------------------------------------------------------------------------------- frames and values

    def path(self, spec):
        if not spec.IsValid() or not spec.GetFilename():
            return None
        return os.path.join(spec.GetDirectory() or "", spec.GetFilename())

    def located(self, entry):
        """Where an entry of the line table is, as the fields of a frame or a breakpoint."""
        path = self.path(entry.GetFileSpec())
        source = path and {"name": os.path.basename(path), "path": path}
        return {"source": source, "line": entry.GetLine()}

    def do_stackTrace(self, threadId=None, startFrame=0, levels=0, **_):
        if threadId is None:
            raise RuntimeError("stackTrace needs a `threadId`")
        thread = self.thread(threadId)
        total = thread.GetNumFrames()
        start = max(0, startFrame)
        frames = []
        for index in range(start, min(total, start + (max(0, levels) or total))):
            frame = thread.GetFrameAtIndex(index)
            entry = frame.GetLineEntry()
            told = {
                "id": self.frame_id(threadId, index),
                "name": frame.GetDisplayFunctionName() or hex(frame.GetPC()),
                "line": 0,
                "column": entry.GetColumn() if entry.IsValid() else 0,
                "instructionPointerReference": hex(frame.GetPC()),
                "moduleId": frame.GetModule().GetFileSpec().GetFilename(),
            }
            told.update(self.located(entry) if entry.IsValid() else {})
            if not told.get("source"):
                told["presentationHint"] = "subtle"
            frames.append(told)
        return {"stackFrames": frames, "totalFrames": total}

    def do_scopes(self, frameId=None, **_):
        frame = self.frame(frameId)
        lists = [
            ("Locals", "locals", frame.GetVariables(True, True, False, True)),
            ("Globals", None, frame.GetVariables(False, False, True, True)),
            ("Registers", "registers", frame.GetRegisters()),
        ]
        return {"scopes": [
            {
                "name": name,
                "presentationHint": hint,
                "variablesReference": self.keep(values),
                "namedVariables": values.GetSize(),
                "expensive": name == "Registers",
            }
            for name, hint, values in lists
        ]}

    def do_variables(self, variablesReference=0, start=0, count=0, **_):
        holder = self.found(variablesReference)
        start, count = max(0, start), max(0, count)
        is_list = isinstance(holder, lldb.SBValueList)
        # Counting all children of something huge is not asked for.
        total = holder.GetSize() if is_list else holder.GetNumChildren(start + (count or 10000))
        values = []
        for index in range(start, min(total, start + (count or 10000))):
            value = holder.GetValueAtIndex(index) if is_list else holder.GetChildAtIndex(index)
            values.append(self.told(value))
        return {"variables": values}

    def told(self, value):
        told = {"name": value.GetName() or "", "type": value.GetDisplayTypeName() or "", "variablesReference": 0}
        error = value.GetError()
        if error.Fail():
            told["value"] = "<%s>" % (error.GetCString() or "not available").strip()
            return told
        told["value"] = self.shown(value)
        if value.MightHaveChildren():
            count = value.GetNumChildren(10001)
            if count:
                told["variablesReference"] = self.keep(value)
                kind = value.GetType().GetCanonicalType().GetTypeClass()
                synthetic = value.IsSynthetic() and value.GetChildAtIndex(0).GetName() == "[0]"
                told["indexedVariables" if kind == lldb.eTypeClassArray or synthetic else "namedVariables"] = count
        stream = lldb.SBStream()
        if value.GetExpressionPath(stream) and value.GetValueType() != lldb.eValueTypeRegister:
            told["evaluateName"] = stream.GetData()
        if value.GetType().IsPointerType():
            told["memoryReference"] = hex(value.GetValueAsUnsigned())
        elif value.GetLoadAddress() != lldb.LLDB_INVALID_ADDRESS:
            told["memoryReference"] = hex(value.GetLoadAddress())
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

    def do_evaluate(self, expression="", frameId=None, **_):
        value = self.evaluated(self.frame(frameId), expression)
        error = value.GetError()
        # An expression without a value, such as a call of a void function, is no error.
        if error.Fail() and error.GetError() != 0x1001:
            raise RuntimeError((error.GetCString() or "the expression cannot be evaluated").removeprefix("error: ").strip())
        if error.Fail():
            return {"result": "", "type": "void", "variablesReference": 0}
        told = self.told(value)
        return {"result": told.pop("value"), **told}

    def do_setVariable(self, variablesReference=0, name="", value="", **_):
        self.stopped()
        holder = self.found(variablesReference)
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

    def do_setExpression(self, expression="", value="", frameId=None, **_):
        frame = self.frame(frameId)
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

    MOST_BYTES, MOST_INSTRUCTIONS = 1 << 20, 10_000

    def address(self, reference, offset):
        digits = reference.lower()
        try:
            address = int(digits[2:], 16) if digits.startswith("0x") else int(digits)
        except ValueError:
            raise RuntimeError("%s is no address; write 0x and hexadecimal digits" % json.dumps(reference)) from None
        return (address + offset) % (1 << 64)

    def do_readMemory(self, memoryReference="", offset=0, count=0, **_):
        address, count = self.address(memoryReference, offset), max(0, min(count, self.MOST_BYTES))
        error = lldb.SBError()
        data = self.process().ReadMemory(address, count, error) if count else b""
        if error.Fail():
            raise RuntimeError(error.GetCString())
        return {"address": hex(address), "data": base64.b64encode(data or b"").decode()}

    def do_writeMemory(self, memoryReference="", offset=0, data="", **_):
        address = self.address(memoryReference, offset)
        error = lldb.SBError()
        written = self.process().WriteMemory(address, base64.b64decode(data), error)
        if error.Fail():
            raise RuntimeError(error.GetCString())
        return {"bytesWritten": written}

    def do_disassemble(self, memoryReference="", offset=0, instructionOffset=0, instructionCount=0, **_):
        most = self.MOST_INSTRUCTIONS
        instructions = self.disassembled(
            self.address(memoryReference, offset),
            max(-most, min(instructionOffset, most)),
            max(0, min(instructionCount, most)),
        )
        return {"instructions": instructions}

    def disassembled(self, address, offset, count):
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
        told = {
            "address": hex(address.GetLoadAddress(target)),
            "instructionBytes": raw.hex(" "),
            "instruction": text.strip() + (" ; " + comment if comment else ""),
            "symbol": address.GetSymbol().GetDisplayName() if address.GetSymbol().IsValid() else None,
        }
        at = self.located(entry) if entry.IsValid() else {}
        if at.get("source"):
            told.update(location=at["source"], line=at["line"])
        return told


def omp_debug_hit(frame, location, *rest):
    omp_debug.print_log(frame, location)
    return False
