import { z } from 'zod';
import { gapKinds } from './gaps.ts';

/** All timestamps in this API are ISO 8601 in UTC, never milliseconds. */
export const time = z.iso.datetime();
/** Integer minor units of the accompanying currency; the sign gives the direction. */
export const minorUnits = z.int();
/** A sum over many orders; null if it is too large to be exact, or has no currency. */
export const sumOfMany = minorUnits.nullable();
/**
 * ISO 4217, or empty for fundings of an order with several currencies whose own currency is
 * unknown: such fundings are listed but never summed, and their amounts are ten-thousandths of the
 * major unit.
 */
export const currency = z.string();
/**
 * Present and true if the currency is only the default because no source states it. The amounts are
 * converted with that currency and are not included in sums.
 */
export const currencyAssumed = z.boolean().optional();
/** Key of an order: `order:` + merchant order ID, or `funding:` + ID of a funding without one. */
export const orderKey = z.string();

/** The reliability of a response. */
export const reliability = {
  asOf: time,
  /** False while a day is not proven to be completely read. */
  complete: z.boolean(),
  unprovenDays: z.int().min(0),
  /** Number of records that could not be stored. No sum includes them. */
  quarantined: z.int().min(0),
};

/** Counts of fundings that are not included in any sum. */
export const leftOut = {
  /** Fundings of unknown currency whose orders have several currencies. */
  withoutCurrency: z.int().min(0),
  /** Fundings in the default currency, because no source states theirs. */
  assumedCurrency: z.int().min(0),
};

/** What an explanation or a search does not include. Absent if it includes everything. */
export const notSearched = z
  .array(z.object({ gap: z.enum(gapKinds), count: z.int().min(1) }))
  .optional();

/** The requested period. */
export const ofPeriod = {
  /** Days in the time zone, both inclusive. */
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  zone: z.string(),
};
