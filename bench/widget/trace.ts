/** An event of a Chromium trace, as far as it is used here; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time, which others on the machine do not add to. */
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly message?: string } };
}

/** What a thread does when it compiles or runs a page's script. */
const script = new Set([
  'EvaluateScript',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  // The evaluation of a module that awaits something is told by this alone.
  'PendingScript::ExecuteScriptBlock',
  'RunMicrotasks',
  'TimerFire',
  'XHRLoad',
  'XHRReadyStateChange',
  'v8.compile',
  'v8.compileModule',
  'v8.evaluateModule',
  'v8.produceCache',
]);

/** Where a page gets its first script at all, whatever that is: of the page, and of no contestant. */
const setup = 'LocalWindowProxy::Initialize';

export const categories = ['blink', 'devtools.timeline', 'disabled-by-default-v8.compile', 'v8'];

/**
 * Processor time of script on the page's main thread, compiling included, until the page says what
 * is asked for (`console.timeStamp`), in milliseconds.
 * @throws Error when it never says so, or the trace has no script in it.
 */
export function scriptTimeUntil(mark: string, trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const end = traceEvents.find(
    ({ name, args }) => name === 'TimeStamp' && args?.data?.message === mark,
  );
  if (!end) throw new Error(`The page never says "${mark}".`);
  const events = traceEvents
    .filter(
      ({ name, ph, pid, tid, ts }) =>
        ph === 'X' &&
        (script.has(name) || name === setup) &&
        pid === end.pid &&
        tid === end.tid &&
        ts < end.ts,
    )
    .sort((a, b) => a.ts - b.ts);
  let sum = 0;
  let covered = 0;
  for (const { name, ts, dur = 0, tdur = dur } of events) {
    // What runs inside of another is counted with that.
    const inside = ts < covered;
    if (name === setup && inside) sum -= tdur;
    if (name === setup || inside) continue;
    covered = ts + dur;
    sum += tdur;
  }
  if (sum === 0) throw new Error('The trace has no script in it.');
  return sum / 1000;
}
