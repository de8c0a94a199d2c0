import { sha256 } from '../platform/digest.ts';
import { addDays } from '../platform/calendar.ts';
import { type PageContext, readPage as readRecords } from './page.ts';
import { stagePages } from './record-sql.ts';
import type { SyncSettings } from './settings.ts';
import type { FundingSource } from './source.ts';
import type { Stage } from './stage.ts';

/** Reason of a page that was not waited for, because the sync is to stop. */
export const STOPPED = 'stopped';

/** What of the service's answers lies in one window of time: the day's, and a little before it. */
export interface ReadWindow {
  day: string;
  /** Table of its records; undefined: it has none. */
  table: string | undefined;
  count: number;
  passes: number;
  pages: number;
  /** Records that pages had in common, and agreed on. */
  overlaps: number;
  /** What was asked for and came. */
  proof: readonly { offset: number; digest: string }[];
}

/** What tells whether a window is as it was. */
export type WindowProof = Pick<ReadWindow, 'day' | 'proof'>;

/** Reads windows. */
export interface Windows {
  /** @throws {WindowError} */
  read(day: string): Promise<ReadWindow>;
  /** @throws {WindowError} when the service does not answer */
  isAsBefore(before: WindowProof): Promise<boolean>;
  /** Gives back what a window takes. */
  free(window: ReadWindow): Promise<void>;
}

export interface WindowOptions extends PageContext {
  source: FundingSource;
  stage: Stage;
  settings: Pick<SyncSettings, 'pageSize' | 'overlap' | 'maxPasses'>;
  signal?: AbortSignal | undefined;
}

export function createWindows(options: WindowOptions): Windows {
  return {
    read: (day) => readWindow(day, options),
    isAsBefore: (before) => isAsBefore(before, options),
    async free({ table }) {
      if (table !== undefined) await options.stage.drop(table);
    },
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
  id: number;
  offset: number;
  digest: string;
  count: number;
  /** How many of its records the pages before have, too. */
  common: number;
  /** Keys of its first and its last records: pages that overlap agree on them. */
  head: string[];
  tail: string[];
  bytes: number;
  /** File of its records, until they are staged. */
  path: string | undefined;
}

interface Pass {
  pages: Page[];
  /** Records, without those that pages have in common. */
  count: number;
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
async function readWindow(day: string, options: WindowOptions): Promise<ReadWindow> {
  const { stage, settings } = options;
  const files = new Set<Page>();
  let table: string | undefined;
  const stageAll = async (passes: readonly Pass[]) => {
    const pages = new Set(passes.flatMap((pass) => pass.pages));
    const waiting = [...pages].flatMap((page) =>
      page.path === undefined ? [] : { ...page, path: page.path },
    );
    if (waiting.length === 0) return;
    table ??= await stage.table();
    await stage.rows(stagePages(table, waiting));
    await stage.files.remove(waiting.map(({ path }) => path));
    for (const page of pages) page.path = undefined;
  };
  try {
    let last: Pass | undefined;
    let pages = 0;
    for (let passes = 1; passes <= settings.maxPasses; passes++) {
      const pass = await readPass(day, options, last, files);
      pages += pass.pages.length;
      if (last !== undefined && (await agree(last, pass))) {
        await stageAll([pass]);
        if (table !== undefined)
          await stage.rows(`delete from ${table} where page not in (${idsOf(pass)})`);
        const proof = pass.pages.map(({ digest, offset }) => ({ digest, offset }));
        return { day, table, count: pass.count, passes, pages, overlaps: pass.overlaps, proof };
      }
      last = pass;
    }
    throw new WindowError('unproven', 'no two passes agreed');
  } catch (error) {
    if (table !== undefined) await stage.drop(table);
    throw error;
  } finally {
    await stage.files.remove([...files].flatMap(({ path }) => path ?? []));
  }

  /** Whether two passes have the same records, as often each; their order does not matter. */
  async function agree(one: Pass, other: Pass): Promise<boolean> {
    if (one.torn || other.torn || one.count !== other.count) return false;
    const samePages =
      one.pages.length === other.pages.length &&
      one.pages.every((page, index) => page.digest === other.pages[index]?.digest);
    if (samePages) return true;
    await stageAll([one, other]);
    if (table === undefined) return true;
    const countOf = (pass: Pass) => `count(*) filter (page in (${idsOf(pass)}))`;
    const different = await stage.rows(
      `select 1 from ${table} where counted group by hash having ${countOf(one)} <> ${countOf(other)} limit 1`,
    );
    return different.length === 0;
  }
}

function idsOf({ pages }: Pass): string {
  return pages.map(({ id }) => id).join(', ');
}

/**
 * Whether a window still has, to the byte, the pages it had.
 * @throws {WindowError} when the service does not answer
 */
async function isAsBefore(before: WindowProof, options: WindowOptions): Promise<boolean> {
  for (const { offset, digest } of before.proof) {
    if (sha256(await askFor({ day: before.day, offset }, options)) !== digest) return false;
  }
  return true;
}

/** Pages of one pass, until one adds nothing. @param files gathers pages whose records are in files */
async function readPass(
  day: string,
  options: WindowOptions,
  last: Pass | undefined,
  files: Set<Page>,
): Promise<Pass> {
  const { pageSize } = options.settings;
  const pass: Pass = { pages: [], count: 0, overlaps: 0, torn: false };
  let same = last !== undefined;
  for (let index = 0; ; index++) {
    const before = pass.pages.at(-1);
    // That the page before the last was short enough to end there was seen once.
    const end = last?.pages.at(-1);
    if (same && end && before && index === (last?.pages.length ?? 0) - 1 && !last?.torn) {
      if (before.count < pageSize) {
        pass.pages.push(end);
        pass.overlaps += end.count;
        return pass;
      }
    }
    const common = before?.tail.length ?? 0;
    const known = last?.pages[index];
    const page = await readPage({ day, offset: pass.count - common, common, known }, options);
    if (page.path !== undefined) files.add(page);
    pass.pages.push(page);
    if (before?.tail.some((key, at) => key !== page.head[at])) {
      pass.torn = true;
      return pass;
    }
    pass.overlaps += common;
    if (page.count === common) return pass;
    same &&= page === known;
    pass.count += page.count - common;
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
  options: WindowOptions,
): Promise<Page> {
  const { stage, settings } = options;
  for (let tries = 1; ; tries++) {
    const bytes = await askFor({ day, offset }, options);
    const digest = sha256(bytes);
    if (digest === known?.digest && offset === known.offset && common === known.common)
      return known;
    const read = readRecords(bytes, options);
    if (read) {
      const { count, content, keyOf } = read;
      const overlap = Math.min(settings.overlap, count);
      const keys = (from: number, length: number) =>
        Array.from({ length }, (_, at) => keyOf(from + at));
      return {
        ...{ id: stage.nextNumber(), offset, digest, count, common },
        head: keys(0, Math.min(common, count)),
        tail: keys(count - overlap, overlap),
        bytes: content.byteLength,
        path: count > common ? await stage.files.write('page', content) : undefined,
      };
    }
    if (tries === PAGE_TRIES) throw new WindowError('failed', 'unreadable');
  }
}

/** @throws {WindowError} */
async function askFor(
  { day, offset }: { day: string; offset: number },
  { source, calendar, settings, signal }: WindowOptions,
): Promise<Uint8Array> {
  const answer = signal?.aborted
    ? undefined
    : await source.page(
        {
          operation: 'report',
          from: new Date(calendar.startOf(day) - SEAM_MS).toISOString(),
          to: new Date(calendar.startOf(addDays(day, 1)) - 1).toISOString(),
          ...{ offset, limit: settings.pageSize },
        },
        signal,
      );
  if (signal?.aborted || answer === undefined) throw new WindowError('failed', STOPPED);
  if (answer.kind === 'failed') throw new WindowError('failed', answer.reason);
  return answer.bytes;
}
