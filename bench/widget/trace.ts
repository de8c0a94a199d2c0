/** The used fields of a Chromium trace event; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time, which other programs on the machine do not increase. */
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly message?: string } };
}

/** Trace events of compiling and running script. */
const script = new Set([
  'EvaluateScript',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  // The only event for a module that uses top-level await.
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

/** Event of the page's first script, which belongs to no contestant. */
const setup = 'LocalWindowProxy::Initialize';

export const categories = ['blink', 'devtools.timeline', 'disabled-by-default-v8.compile', 'v8'];

/**
 * Returns the processor time of script on the page's main thread, including compilation, until the page
 * writes a given `console.timeStamp`; in milliseconds.
 * @throws {Error} when the trace has no such time stamp or no script
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
    // The outer event includes the time of the nested ones.
    const inside = ts < covered;
    if (name === setup && inside) sum -= tdur;
    if (name === setup || inside) continue;
    covered = ts + dur;
    sum += tdur;
  }
  if (sum === 0) throw new Error('The trace has no script in it.');
  return sum / 1000;
}
