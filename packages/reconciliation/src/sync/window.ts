import { addDays } from '@financing-checkout/contract/money';
import { sha256 } from '../platform/digest.ts';
import { type PageContext, readPage as readRecords } from './page.ts';
import { stagePages } from './record-sql.ts';
import type { SyncSettings } from './settings.ts';
import type { FundingSource } from './source.ts';
import type { Stage } from './stage.ts';

/** Reason for a page that was abandoned when the sync stopped. */
export const STOPPED = 'stopped';

/** The service's responses for one time window: a day and a short time before it. */
export interface ReadWindow {
  day: string;
  /** Table with the records; undefined if there are none. */
  table: string | undefined;
  count: number;
  passes: number;
  pages: number;
  /** Number of records that are on two overlapping pages. */
  overlaps: number;
  /** Digests of the received pages. */
  proof: readonly { offset: number; digest: string }[];
}

/** Fingerprint for detecting a changed window. */
export type WindowProof = Pick<ReadWindow, 'day' | 'proof'>;

export interface Windows {
  /** @throws {WindowError} */
  read(day: string): Promise<ReadWindow>;
  /** @throws {WindowError} when the service does not answer */
  isAsBefore(before: WindowProof): Promise<boolean>;
  /** Releases the resources of a window. */
  free(window: ReadWindow): Promise<void>;
}

export interface WindowOptions extends PageContext {
  source: FundingSource;
  stage: Stage;
  settings: Pick<SyncSettings, 'pageSize' | 'overlap' | 'maxPasses'>;
  signal?: AbortSignal | undefined;
}

interface ReadOptions extends WindowOptions {
  /** Number of records to request per page, shared by all windows. Reduced after a refusal. */
  size: { limit: number };
}

export function createWindows(stated: WindowOptions): Windows {
  const options = { ...stated, size: { limit: stated.settings.pageSize } };
  return {
    read: (day) => readWindow(day, options),
    isAsBefore: (before) => isAsBefore(before, options),
    async free({ table }) {
      if (table !== undefined) await options.stage.drop(table);
    },
  };
}

/** A window that could not be read, or for which no two passes agreed. */
export class WindowError extends Error {
  override readonly name = 'WindowError';
  /** `failed`: the service did not respond. `unproven`: its responses differed each time. */
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
  /** Number of requested records. */
  limit: number;
  digest: string;
  count: number;
  /** Number of records that also occur on earlier pages. */
  common: number;
  /** Keys of the first and last records, on which overlapping pages must agree. */
  head: string[];
  tail: string[];
  /** Length of the file's longest line, in bytes. */
  longest: number;
  /** File with the records, until they are staged. */
  path: string | undefined;
}

interface Pass {
  pages: Page[];
  /** Number of records, excluding overlaps between pages. */
  count: number;
  overlaps: number;
  /** Whether two pages disagree on their overlap, because rows moved in the meantime. */
  torn: boolean;
}

const PAGE_TRIES = 3;
/** Number of records per page that the service returns without `limit`, and therefore accepts. */
const USUAL_LIMIT = 1_000;
/**
 * Windows begin this long before midnight, so that it does not matter whether the service treats
 * their ends as inclusive.
 */
const SEAM_MS = 2_000;

/**
 * Reads a day's records, by the service's day boundaries, until two passes over all pages return
 * the same ones. The service defines neither the order nor the number of records, nor whether the
 * ends of a window are inclusive (reference: Funding API), so a row may move to a page that has
 * already been read. Therefore pages overlap and must agree on the overlap, and the last page is
 * one that adds no record.
 * @throws {WindowError}
 */
async function readWindow(day: string, options: ReadOptions): Promise<ReadWindow> {
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

  /** Returns whether two passes have the same records equally often, in any order. */
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
 * Returns whether a window's pages are unchanged, byte for byte.
 * @throws {WindowError} when the service does not respond
 */
async function isAsBefore(before: WindowProof, options: ReadOptions): Promise<boolean> {
  for (const { offset, digest } of before.proof) {
    const answer = await askFor({ day: before.day, offset, known: digest }, options);
    if (answer !== undefined && sha256(answer.bytes) !== digest) return false;
  }
  return true;
}

/**
 * Reads one pass, page by page, until a page adds no record.
 * @param files collects pages whose records are in files
 */
async function readPass(
  day: string,
  options: ReadOptions,
  last: Pass | undefined,
  files: Set<Page>,
): Promise<Pass> {
  const pass: Pass = { pages: [], count: 0, overlaps: 0, torn: false };
  let same = last !== undefined;
  for (let index = 0; ; index++) {
    const before = pass.pages.at(-1);
    // A short page before the last one may have ended a pass prematurely.
    const end = last?.pages.at(-1);
    if (same && end && before && index === (last?.pages.length ?? 0) - 1 && !last?.torn) {
      if (before.count < before.limit) {
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
  /** The page at the same position in the previous pass. */
  known: Page | undefined;
}

/** Retries a page that cannot be parsed, because it may have been truncated in transit. */
async function readPage(
  { day, offset, common, known }: WantedPage,
  options: ReadOptions,
): Promise<Page> {
  const { stage, settings } = options;
  const same = known?.offset === offset && known.common === common ? known : undefined;
  for (let tries = 1; ; tries++) {
    const answer = await askFor({ day, offset, known: same?.digest }, options);
    const digest = answer === undefined ? same?.digest : sha256(answer.bytes);
    if (same !== undefined && digest === same.digest) return same;
    const read = answer && readRecords(answer.bytes, options);
    if (read && digest !== undefined) {
      const { count, content, keyOf, longest } = read;
      const overlap = Math.min(settings.overlap, count);
      const keys = (from: number, length: number) =>
        Array.from({ length }, (_, at) => keyOf(from + at));
      return {
        id: stage.nextNumber(),
        offset,
        limit: answer.limit,
        digest,
        count,
        common,
        head: keys(0, Math.min(common, count)),
        tail: keys(count - overlap, overlap),
        longest,
        path: count > common ? await stage.files.write('page', content, '.tsv') : undefined,
      };
    }
    if (tries === PAGE_TRIES) throw new WindowError('failed', 'unreadable');
  }
}

interface PageRequest {
  day: string;
  offset: number;
  /** Digest of the page that the reader already has. */
  known: string | undefined;
}

/**
 * Requests a page. If the service refuses a large page, all windows request smaller pages from then
 * on.
 * @returns undefined if the service has sent the known page again @throws {WindowError}
 */
async function askFor(
  { day, offset, known }: PageRequest,
  { source, calendar, signal, size }: ReadOptions,
): Promise<{ bytes: Uint8Array; limit: number } | undefined> {
  for (;;) {
    const { limit } = size;
    const answer = signal?.aborted
      ? undefined
      : await source.page(
          {
            operation: 'report',
            from: new Date(calendar.startOf(day) - SEAM_MS).toISOString(),
            to: new Date(calendar.startOf(addDays(day, 1)) - 1).toISOString(),
            offset,
            limit,
            known,
          },
          signal,
        );
    if (signal?.aborted || answer === undefined) throw new WindowError('failed', STOPPED);
    if (answer.kind === 'page') return { bytes: answer.bytes, limit };
    if (answer.kind === 'same') return undefined;
    if (answer.kind === 'failed' || limit <= USUAL_LIMIT) {
      throw new WindowError('failed', answer.reason);
    }
    // Another window may have already reduced it.
    size.limit = Math.min(size.limit, Math.max(USUAL_LIMIT, Math.floor(limit / 2)));
  }
}
