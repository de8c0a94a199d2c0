import { z } from 'zod';
import type { FactNumber, Fence } from './fact-number.ts';

export const decisionSchema = z.object({ by: z.string(), at: z.number(), reason: z.string() });
export const workSchema = z.object({
  /** Name of the period, such as `2026-10`. */
  id: z.string(),
  /** Who prepared the close, when, and the SHA-256 of the statements that they saw. */
  prepared: z.object({ by: z.string(), at: z.number(), statements: z.string() }).optional(),
  /** Accepted blockers, by item of the checklist, with the SHA-256 of the accepted finding. */
  accepted: z.record(z.string(), decisionSchema.extend({ state: z.string() })),
  /** Request to reopen the closed period. */
  reopening: decisionSchema.optional(),
});
/** Work on a period until it is sealed, or its seal reopened. */
export type PeriodWork = z.infer<typeof workSchema>;
/** A person's decision. `at` is milliseconds since 1970. */
export type Decision = z.infer<typeof decisionSchema>;

/** A seal to write. */
export interface NewSeal {
  period: string;
  at: number;
  /** Canonical JSON: see `SealBody` of periods. */
  body: string;
  /** Hash of the previous seal. */
  previous: string;
  hash: string;
  /** Sealed cash flows by order, in Parquet. */
  flows: Uint8Array;
  /** Contents that the seal covers: they are kept when a sync replaces them. */
  days: readonly { day: string; checksum: string }[];
}

/** A seal, which never changes; its reopening is recorded beside it. */
export interface SealFact extends Omit<NewSeal, 'flows' | 'days'> {
  /** Position in the chain, from 1. */
  seq: number;
  /** Number of the last fact about it: its close, or its reopening. */
  number: FactNumber;
  reopened: Decision | undefined;
}

/** Periods and their seals in the record store. */
export interface PeriodFacts {
  periodWork(): Promise<PeriodWork[]>;
  /** Replaces the work on a period. @throws {LeaseLostError} */
  writePeriodWork(fence: Fence, work: PeriodWork): Promise<void>;
  /** All seals in their order, reopened ones included. */
  seals(): Promise<SealFact[]>;
  /** Seals whose last fact has a greater number, sorted by number. */
  sealsAfter(number: FactNumber, limit: number): Promise<SealFact[]>;
  /** @throws {ContentError} if the bytes are not those that were written */
  sealFlows(seq: number): Promise<Uint8Array>;
  /**
   * Writes a seal in one transaction, unless the record store has facts after `head`, which the seal
   * would not cover.
   * @returns undefined if there are such facts @throws {LeaseLostError}
   */
  writeSeal(fence: Fence, seal: NewSeal, head: FactNumber): Promise<SealFact | undefined>;
  /** Records the reopening of the last seal. @throws {LeaseLostError} */
  reopenSeal(fence: Fence, seq: number, reopened: Decision): Promise<FactNumber>;
  /** SHA-256 of the stored content of each day. */
  contentChecksums(): Promise<Map<string, string>>;
  /** Content of a day by its SHA-256, current or kept for a seal; not verified. */
  sealedContent(day: string, checksum: string): Promise<Uint8Array | undefined>;
}
