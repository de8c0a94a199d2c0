/** The end of a chain of events. */
export interface ChainHead {
  /** 0 if there is no event yet. */
  seq: number;
  hash: string;
}

/** The previous hash of the first event. */
export const GENESIS = '0'.repeat(64);

/** An event of a chain: its hash covers its content and the hash of the previous event. */
export interface ChainedEvent {
  seq: number;
  /** Hash of the previous event. */
  previous: string;
  hash: string;
}

/** The first event that breaks its chain. */
export interface BrokenLink<Event> {
  seq: number;
  reason: string;
  /** Undefined: the event is missing. */
  event?: Event;
}

export interface ChainCheck<Event> {
  /** The last valid event. */
  head: ChainHead;
  broken?: BrokenLink<Event>;
  /** Hash of the marked event, after it has been verified. */
  marked?: string | undefined;
}

export interface Chain<Event extends ChainedEvent> {
  /** The stored end of the chain. */
  end: ChainHead;
  /** Returns the next events after a number, sorted. */
  after(seq: number): Promise<readonly Event[]>;
  hashOf(event: Event): string;
  /** Number of an event that must exist and whose hash is requested; 0: before the first event. */
  mark?: number | undefined;
  /** Called with each valid event. */
  onEvent?: (event: Event) => void;
}

/**
 * Verifies a chain by recomputing each hash: the chain is broken at an event that was changed,
 * removed, inserted or moved.
 */
export async function verifyChain<Event extends ChainedEvent>(
  chain: Chain<Event>,
): Promise<ChainCheck<Event>> {
  const { end, mark = 0 } = chain;
  let head: ChainHead = { seq: 0, hash: GENESIS };
  let marked = chain.mark === 0 ? GENESIS : undefined;
  const broken = (seq: number, reason: string, event?: Event): ChainCheck<Event> => ({
    head,
    broken: { seq, reason, event },
  });

  while (head.seq < end.seq) {
    const page = await chain.after(head.seq);
    for (const event of page) {
      if (head.seq === end.seq) break;
      const { seq } = event;
      if (seq !== head.seq + 1) return broken(head.seq + 1, 'is missing');
      if (event.previous !== head.hash) {
        return broken(seq, 'does not follow the previous event', event);
      }
      if (event.hash !== chain.hashOf(event)) return broken(seq, 'was changed', event);
      if (seq === mark) marked = event.hash;
      chain.onEvent?.(event);
      head = { seq, hash: event.hash };
    }
    if (page.length === 0) return broken(head.seq + 1, 'is missing');
  }
  if (head.hash !== end.hash) return broken(end.seq, 'is not where the chain ended');
  if (mark > end.seq) return broken(end.seq + 1, 'is missing: the anchor is after the end');
  return marked === undefined ? { head } : { head, marked };
}
