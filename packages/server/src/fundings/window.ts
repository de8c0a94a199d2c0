import { addDays, Calendar } from './calendar.ts';
import { parsePage } from './page.ts';
import type { PersonalData } from './personal.ts';
import {
  type Bundle,
  DayRecords,
  type Digest,
  readElement,
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

/**
 * Makes of records what is kept of them until their day is written.
 * @param ahead records that the pages before have
 */
export type KeepRecords = (records: readonly ReadRecord[], ahead: number) => Bundle;

const asTheyAre: KeepRecords = (records) => records;

interface Reading extends RecordContext {
  fetchPage: FetchPage;
  keep: KeepRecords;
  settings: WindowSettings;
}

/** Windows that are read in this thread. */
export function createWindows(options: {
  fetchPage: FetchPage;
  digest: Digest;
  personal?: PersonalData;
  /** @default as they are */
  keep?: KeepRecords;
  settings: WindowSettings;
}): Windows {
  const { settings, personal = {}, keep = asTheyAre, ...others } = options;
  const calendar = new Calendar(settings.zone);
  const reading: Reading = { ...others, settings, personal, keep, calendar };
  return {
    read: (day) => readWindow(day, reading),
    isAsBefore: (before) => isAsBefore(before, reading),
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
  /** Of all its records, a line each: as one text they take a quarter of the memory. */
  hashes: string;
  count: number;
  /** How many of them the pages before have, too. */
  common: number;
  /** The others, by day. */
  bundles: ReadonlyMap<string, Bundle>;
}

interface Pass {
  pages: Page[];
  /** Records, without those that pages have in common. */
  count: number;
  /** Hashes of the last ones: the next page begins with them. */
  tail: string[];
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
async function readWindow(day: string, reading: Reading): Promise<ReadWindow> {
  const { maxPasses } = reading.settings;
  let last: Pass | undefined;
  let pages = 0;
  for (let passes = 1; passes <= maxPasses; passes++) {
    const pass = await readPass(day, reading, last);
    pages += pass.pages.length;
    letGo(last, pass);
    if (last !== undefined && agree(last, pass, reading)) {
      return {
        day,
        days: daysOf(pass.pages),
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

/** What the later pass has not taken over of the pass before. */
function letGo(last: Pass | undefined, pass: Pass): void {
  const kept = new Set(pass.pages);
  for (const page of last?.pages ?? []) {
    if (!kept.has(page)) for (const bundle of page.bundles.values()) bundle.free?.();
  }
}

function daysOf(pages: readonly Page[]): Map<string, DayRecords> {
  const bundles = pages.flatMap((page) => [...page.bundles]);
  const days = Map.groupBy(bundles, ([day]) => day);
  return new Map(
    Array.from(days, ([day, own]) => [day, new DayRecords(own.map(([, bundle]) => bundle))]),
  );
}

/**
 * Whether a window still has, to the byte, the pages it had.
 * @throws {WindowError} when the service does not answer
 */
async function isAsBefore(before: WindowProof, reading: Reading): Promise<boolean> {
  for (const { offset, digest } of before.proof) {
    const { pageSize } = reading.settings;
    const query = { ...endsOf(before.day, reading), offset, limit: pageSize };
    const answer = await reading.fetchPage(query);
    if (answer.kind === 'failed') throw new WindowError('failed', answer.reason);
    const found = reading.digest(answer.bytes);
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

async function readPass(day: string, reading: Reading, last: Pass | undefined): Promise<Pass> {
  const { pageSize, overlap } = reading.settings;
  const pass: Pass = { pages: [], count: 0, tail: [], overlaps: 0, torn: false };
  let same = last !== undefined;
  for (let index = 0; ; index++) {
    // That the page before the last was short enough to end there was seen once.
    const end = last?.pages.at(-1);
    if (same && end && index > 0 && index === (last?.pages.length ?? 0) - 1 && !last?.torn) {
      const filled = pass.pages.at(-1)?.count ?? 0;
      if (filled < pageSize) {
        pass.pages.push(end);
        pass.overlaps += end.count;
        return pass;
      }
    }
    const common = pass.tail.length;
    const known = last?.pages[index];
    const page = await readPage({ day, offset: pass.count - common, common, known }, reading);
    const hashes = hashesOf(page);
    pass.pages.push(page);
    if (pass.tail.some((hash, at) => hash !== hashes[at])) {
      pass.torn = true;
      return pass;
    }
    pass.overlaps += common;
    if (page.count === common) return pass;
    same &&= page === known;
    pass.count += page.count - common;
    pass.tail = hashes.slice(Math.max(0, page.count - overlap));
  }
}

interface WantedPage {
  day: string;
  offset: number;
  common: number;
  /** What was at its place in the pass before. */
  known: Page | undefined;
}

/** A page that cannot be read may have been cut off on its way: it is asked for again. */
async function readPage(
  { day, offset, common, known }: WantedPage,
  reading: Reading,
): Promise<Page> {
  const query = { ...endsOf(day, reading), offset, limit: reading.settings.pageSize };
  for (let tries = 1; ; tries++) {
    const answer = await reading.fetchPage(query);
    if (answer.kind === 'failed') throw new WindowError('failed', answer.reason);
    const digest = reading.digest(answer.bytes);
    const isKnown = digest === known?.digest && offset === known.offset && common === known.common;
    const found = isKnown ? undefined : parsePage(answer.bytes);
    answer.free?.();
    if (isKnown) return known;
    if (found) {
      const records = found.map((element) => readElement(element, day, reading));
      const days = Map.groupBy(records.slice(common), (record) => record.day);
      const keep = (added: ReadRecord[]) => reading.keep(added, offset + common);
      return {
        offset,
        digest,
        hashes: records.map(({ hash }) => hash).join('\n'),
        count: records.length,
        common,
        bundles: new Map(Array.from(days, ([day, added]) => [day, keep(added)])),
      };
    }
    if (tries === PAGE_TRIES) throw new WindowError('failed', 'unreadable');
  }
}

/** Whether two passes have the same records, as often each; their order does not matter. */
function agree(one: Pass, other: Pass, { digest }: RecordContext): boolean {
  if (one.torn || other.torn || one.count !== other.count) return false;
  const samePages =
    one.pages.length === other.pages.length &&
    one.pages.every((page, index) => page.digest === other.pages[index]?.digest);
  return samePages || hashOf(one, digest) === hashOf(other, digest);
}

function hashOf({ pages }: Pass, digest: RecordContext['digest']): string {
  const hashes = pages.flatMap((page) => hashesOf(page).slice(page.common));
  return digest(hashes.sort().join('\n'));
}

function hashesOf({ hashes, count }: Page): string[] {
  return count === 0 ? [] : hashes.split('\n');
}
