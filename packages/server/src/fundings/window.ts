import { addDays, Calendar } from './calendar.ts';
import { parsePage } from './page.ts';
import type { PersonalData } from './personal.ts';
import {
  type DayRecords,
  type Digest,
  readRecord,
  type ReadRecord,
  type RecordContext,
} from './record.ts';

/** A page as it came, or why it did not. `free` gives its memory back once it has been read. */
export type PageAnswer =
  | { kind: 'page'; bytes: Uint8Array<ArrayBuffer>; free?: () => void }
  | { kind: 'failed'; reason: string };

/** Reason of a page that was not waited for, because the sync is to stop. */
export const STOPPED = 'stopped';

/** Asks the service for a page. Dates are ISO 8601; missing transactions are always asked for. */
export type FetchPage = (query: {
  from: string;
  to: string;
  offset: number;
  limit: number;
}) => Promise<PageAnswer>;

export interface WindowSettings {
  /** IANA name; days are days of this zone. */
  zone: string;
  /** Records a page is asked for. */
  pageSize: number;
  /** Records that two pages have in common, and must agree on. */
  overlap: number;
  /** Passes that may be made until two agree. */
  maxPasses: number;
}

/** What of the service's answers lies in one window of time. */
export interface ReadWindow {
  day: string;
  /** By the day each belongs to: nearly all to the window's own. */
  days: Map<string, DayRecords>;
  passes: number;
  pages: number;
  /** Records that pages had in common, and agreed on. */
  overlaps: number;
  /** What was asked for and came: who reads the same again need not look into it. */
  proof: { offset: number; digest: string }[];
}

/** What tells whether a window is as it was. */
export type WindowProof = Pick<ReadWindow, 'day' | 'proof'>;

/** Reads windows: in this thread, or in another one. */
export interface Windows {
  /** @throws {WindowError} */
  read(day: string): Promise<ReadWindow>;
  /** @throws {WindowError} when the service does not answer */
  isAsBefore(before: WindowProof): Promise<boolean>;
}

/** Windows that are read in this thread. */
export function createWindows(options: {
  fetchPage: FetchPage;
  digest: Digest;
  personal?: PersonalData;
  settings: WindowSettings;
}): Windows {
  const { fetchPage, digest, personal = {}, settings } = options;
  const context: RecordContext = { calendar: new Calendar(settings.zone), digest, personal };
  return {
    read: (day) => readWindow(day, context, fetchPage, settings),
    isAsBefore: (before) => isAsBefore(before, context, fetchPage, settings),
  };
}

/** A window that could not be read, or of which no two passes agreed. */
export class WindowError extends Error {
  override readonly name = 'WindowError';
  /** `failed`: the service did not answer. `unproven`: it did, each time something else. */
  readonly state: 'failed' | 'unproven';
  readonly reason: string;

  constructor(state: WindowError['state'], reason: string) {
    super(`${state}: ${reason}`);
    this.state = state;
    this.reason = reason;
  }
}

interface Page {
  offset: number;
  digest: string;
  records: ReadRecord[];
}

interface Pass {
  pages: Page[];
  /** Without those that pages have in common. */
  records: ReadRecord[];
  overlaps: number;
  /** Two pages did not agree on what they have in common: rows moved in between. */
  torn: boolean;
}

const PAGE_TRIES = 3;

/** Before midnight too: then it does not matter whether the service counts the ends in. */
const SEAM_MS = 2_000;

/**
 * Reads the records of a day, as the service sees days, until two passes over all pages have the
 * same ones. Nothing is said about the order of records, their count or the ends of a window
 * (reference: Funding API), so that a row may move to a page that has been read: pages overlap, and
 * must agree on the overlap; the end is a page that adds nothing.
 * @throws {WindowError}
 */
async function readWindow(
  day: string,
  context: RecordContext,
  fetchPage: FetchPage,
  settings: WindowSettings,
): Promise<ReadWindow> {
  const window = endsOf(day, context);
  let last: Pass | undefined;
  let pages = 0;
  for (let passes = 1; passes <= settings.maxPasses; passes++) {
    const pass = await readPass(window, day, context, fetchPage, settings, last);
    pages += pass.pages.length;
    if (last !== undefined && agree(last, pass, context)) {
      return {
        day,
        days: Map.groupBy(pass.records, (record) => record.day),
        passes,
        pages,
        overlaps: pass.overlaps,
        proof: pass.pages.map(({ digest, offset }) => ({ digest, offset })),
      };
    }
    last = pass;
  }
  throw new WindowError('unproven', 'no two passes agreed');
}

/**
 * Whether a window still has, to the byte, the pages it had.
 * @throws {WindowError} when the service does not answer
 */
async function isAsBefore(
  before: WindowProof,
  context: RecordContext,
  fetchPage: FetchPage,
  { pageSize }: WindowSettings,
): Promise<boolean> {
  for (const { offset, digest } of before.proof) {
    const query = { ...endsOf(before.day, context), offset, limit: pageSize };
    const answer = await fetchPage(query);
    if (answer.kind === 'failed') throw new WindowError('failed', answer.reason);
    const found = context.digest(answer.bytes);
    answer.free?.();
    if (found !== digest) return false;
  }
  return true;
}

function endsOf(day: string, { calendar }: RecordContext): { from: string; to: string } {
  return {
    from: new Date(calendar.startOf(day) - SEAM_MS).toISOString(),
    to: new Date(calendar.startOf(addDays(day, 1)) - 1).toISOString(),
  };
}

async function readPass(
  window: { from: string; to: string },
  day: string,
  context: RecordContext,
  fetchPage: FetchPage,
  settings: WindowSettings,
  last: Pass | undefined,
): Promise<Pass> {
  const { pageSize, overlap } = settings;
  const pass: Pass = { pages: [], records: [], overlaps: 0, torn: false };
  let same = last !== undefined;
  for (let index = 0; ; index++) {
    // That the page before the last was short enough to end there was seen once.
    const end = last?.pages.at(-1);
    if (same && end && index > 0 && index === (last?.pages.length ?? 0) - 1 && !last?.torn) {
      const filled = pass.pages.at(-1)?.records.length ?? 0;
      if (filled < pageSize) {
        pass.pages.push(end);
        pass.overlaps += end.records.length;
        return pass;
      }
    }
    const offset = Math.max(0, pass.records.length - overlap);
    const known = last?.pages[index];
    const page = await readPage(
      { ...window, offset, limit: pageSize },
      day,
      context,
      fetchPage,
      known,
    );
    const common = pass.records.length - offset;
    pass.pages.push(page);
    const agreed =
      page.records.length >= common &&
      page.records
        .slice(0, common)
        .every((record, at) => record.hash === pass.records[offset + at]?.hash);
    if (!agreed) {
      pass.torn = true;
      return pass;
    }
    pass.overlaps += common;
    const added = page.records.length - common;
    if (added === 0) return pass;
    same &&= page === known;
    for (const record of page.records.slice(common)) pass.records.push(record);
  }
}

/** A page that cannot be read may have been cut off on its way: it is asked for again. */
async function readPage(
  query: Parameters<FetchPage>[0],
  day: string,
  context: RecordContext,
  fetchPage: FetchPage,
  known: Page | undefined,
): Promise<Page> {
  for (let tries = 1; ; tries++) {
    const answer = await fetchPage(query);
    if (answer.kind === 'failed') throw new WindowError('failed', answer.reason);
    const digest = context.digest(answer.bytes);
    const isKnown = digest === known?.digest && query.offset === known.offset;
    const records = isKnown ? undefined : parsePage(answer.bytes);
    answer.free?.();
    if (isKnown) return known;
    if (records) {
      return {
        offset: query.offset,
        digest,
        records: records.map((record) => readRecord(record, day, context)),
      };
    }
    if (tries === PAGE_TRIES) throw new WindowError('failed', 'unreadable');
  }
}

/** Whether two passes have the same records, as often each; their order does not matter. */
function agree(one: Pass, other: Pass, { digest }: RecordContext): boolean {
  if (one.torn || other.torn || one.records.length !== other.records.length) return false;
  const samePages =
    one.pages.length === other.pages.length &&
    one.pages.every((page, index) => page.digest === other.pages[index]?.digest);
  return samePages || hashOf(one, digest) === hashOf(other, digest);
}

function hashOf(pass: Pass, digest: RecordContext['digest']): string {
  return digest(
    pass.records
      .map(({ hash }) => hash)
      .sort()
      .join('\n'),
  );
}
