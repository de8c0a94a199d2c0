import { delay, systemClock } from '../clock/clock.ts';
import { type Account, type AppliedDay, inParts } from './apply-slice.ts';
import { type Fence, LeaseLostError, type RunRow } from './books.ts';
import { checkGoingOn, DayWork, type DayWorkOptions } from './day-work.ts';
import { HeldLease } from './lease.ts';
import { lostOf } from './lost-fundings.ts';
import { defaultSyncSettings } from './settings.ts';
import type { Findings, Share, ShareBooks } from './share-books.ts';
import type { SyncOptions } from './sync.ts';

/** How often the leader looks how far the others are. */
const LOOK_MS = 250;
/** Fundings that went away and are listed, of a day; of more it is known that they did. */
const MAX_LOST = 100;

type ShareContext = Omit<DayWorkOptions, 'lease' | 'account'> & { holder: string };
interface ClaimedShare {
  share: Share;
  fence: Fence;
}

/** Enough for several companions to have several each; of more, each would be the shorter. */
const MOST_SHARES = 12;

/**
 * Cuts days into shares, in their order. Both ends of a share cost a window, which is read for the days
 * beside it, and a wait until as many are under way as can be.
 * @param least days of a share
 */
export function cutShares(days: readonly string[], least: number): (readonly string[])[] {
  return [...inParts(days, Math.max(least, Math.ceil(days.length / MOST_SHARES)))];
}

/**
 * Has the days of a run read by all companions that come to it, this one among them, and waits for the
 * last of them. A share whose companion died is taken by another one when its lease has run out.
 * @param ctx with the lease of the run
 * @returns what was found, and why the service gives no pages, where days are left because of it
 * @throws {LeaseLostError}, {SyncStoppedError}
 */
export async function readShares(
  ctx: ShareContext & { shares: ShareBooks; lease: HeldLease; onProgress?: (run: RunRow) => void },
  run: RunRow,
  parts: readonly (readonly string[])[],
): Promise<{ findings: Findings[]; down: string | undefined }> {
  const { books, shares, lease, clock, settings, holder } = ctx;
  const plan = `${run.id}.${run.resumed}`;
  const { slicesDone, slicesUnproven, rows, changed, gone, quarantined } = run;
  const counted = { slicesDone, slicesUnproven, rows, changed, gone, quarantined };
  await shares.cut(lease.fence, { plan, runId: run.id, counted, shares: parts });

  async function tell(): Promise<void> {
    const before = run.slicesDone + run.slicesUnproven;
    Object.assign(run, await shares.counted(run.id));
    if (run.slicesDone + run.slicesUnproven === before) return;
    await books.write(lease.fence, { now: clock.now(), changed: [], gone: [], run });
    ctx.onProgress?.({ ...run });
  }

  async function ownShare(claimed: ClaimedShare): Promise<string | undefined> {
    try {
      return await workAtShare({ ...ctx, onDay: tell }, claimed);
    } catch (error) {
      // Another one has the share: that of a process which stood still. Whose the run is, is seen next.
      if (error instanceof LeaseLostError) return undefined;
      throw error;
    }
  }

  let down: string | undefined;
  let quiet = 0;
  for (;;) {
    checkGoingOn(ctx);
    const now = clock.now();
    const claimed =
      down === undefined
        ? await shares.claim(holder, settings.zone, now, now + settings.leaseMs)
        : undefined;
    if (claimed) {
      down = await ownShare(claimed);
    } else {
      const { open, held } = await shares.state(plan, clock.now());
      if (open === 0) {
        // Who had pages has read what this one could not.
        down = undefined;
        break;
      }
      // Between two of its shares a companion has none for a moment.
      quiet = held === 0 ? quiet + 1 : 0;
      if (down !== undefined && quiet > 1) break;
      await delay(clock, LOOK_MS);
    }
    await tell();
  }
  // What others have done since it was looked last.
  await tell();
  const findings = await shares.findings(plan);
  await shares.clear(lease.fence);
  return { findings, down };
}

/**
 * Takes shares of a run that another companion leads, until there is none left.
 * @returns how many were read to their end
 * @throws {SyncStoppedError}
 */
export async function helpSync(options: SyncOptions): Promise<number> {
  const { books, holder, clock = systemClock, stop } = options;
  const settings = { ...defaultSyncSettings, ...options.settings };
  const ctx = { ...options, settings, clock };
  for (let done = 0; ; done++) {
    const now = clock.now();
    const claimed =
      stop?.aborted === true
        ? undefined
        : await books.shares?.claim(holder, settings.zone, now, now + settings.leaseMs);
    if (!claimed) return done;
    try {
      // The service may give its pages to others: they can have it.
      if ((await workAtShare(ctx, claimed)) !== undefined) return done;
    } catch (error) {
      // The run has ended, or is led by another one by now, who has cut it anew.
      if (error instanceof LeaseLostError) return done;
      throw error;
    }
  }
}

/** @returns why the service gives no pages, where it does not: then the share is given back */
async function workAtShare(
  ctx: ShareContext,
  { share, fence }: ClaimedShare,
): Promise<string | undefined> {
  const { books, clock, settings } = ctx;
  const { tally, findings, runId } = share;
  const lease = HeldLease.taken(books, fence, clock, settings.leaseMs);
  // Days that somebody before could not prove are tried once more.
  tally.slicesUnproven = 0;
  const strays = findings.strays;

  async function note({ day, stale, gone }: AppliedDay): Promise<void> {
    const lost = await lostOf(books, gone, settings.batchRows);
    findings.moved[day] = [...stale];
    if (lost.length > 0) findings.lost[day] = listed(lost);
    findings.proofs[day] = work.reader.proofOf(day)?.proof ?? [];
    findings.strays = strays + work.strays;
  }
  const account: Account = {
    runId,
    tally,
    async written(applied) {
      if (applied) await note(applied);
      return { share: { tally, findings, isDone: false } };
    },
  };
  const work: DayWork = new DayWork({ ...ctx, lease, account });
  try {
    await work.read(share.days.filter((day) => findings.proofs[day] === undefined));
    if (work.reader.down !== undefined) return work.reader.down;
    const ended = { tally, findings, isDone: true };
    await books.write(fence, { now: clock.now(), changed: [], gone: [], share: ended });
    return undefined;
  } finally {
    await lease.release();
  }
}

function listed(lost: readonly { id: string; orderKey: string }[]): Findings['lost'][string] {
  return lost.length > MAX_LOST ? 'many' : lost.map(({ id, orderKey }) => ({ id, orderKey }));
}
