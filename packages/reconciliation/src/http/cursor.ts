import { isText } from '@financing-checkout/contract/back-office';
import { z } from 'zod';
import { ProblemError } from '../platform/problem.ts';
import { type Keyset, type Place, placeFrom } from '../queries/basis/keyset.ts';

/** Returns the `next` value of a page, an opaque string. @param place of the page's last row, if more follow */
export const nextOf = ({ mark }: Keyset, place: Place | undefined) =>
  place && Buffer.from(JSON.stringify([mark, ...place])).toString('base64url');

/** Splits rows that were read with one extra row: returns the page, and its last row if more follow. */
export function pageOf<Row>(rows: readonly Row[], limit: number) {
  return { page: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined };
}

/** Returns the place in a list after which a page begins. @throws {ProblemError} `invalid-request` for a cursor of another list or order */
export function placeAfter(after: string | undefined, keyset: Keyset): Place | undefined {
  if (after === undefined) return undefined;
  const parts = partsOf(after);
  const place = parts && placeFrom(keyset, parts);
  if (place !== undefined) return place;
  throw new ProblemError('invalid-request', { errors: [{ path: 'after', message: notOfList }] });
}

/** Returns the number of the event after which a page begins. @throws {ProblemError} `invalid-request` */
export function eventAfter(after: string | undefined): number | undefined {
  return after === undefined ? undefined : Number(placeAfter(after, ofEvents)?.[0]);
}

/** The order of the events of the trail. */
const ofEvents: Keyset = { mark: 'event', keys: [{ sql: 'seq', type: 'bigint' }] };
export const nextEvent = (seq: number | undefined) =>
  nextOf(ofEvents, seq === undefined ? undefined : [String(seq)]);

const notOfList = 'must be the "next" of a previous page';
const partsSchema = z.array(z.string().refine(isText).nullable());

function partsOf(cursor: string): Place | undefined {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    return partsSchema.safeParse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
    ).data;
  } catch {
    // Invalid base64 or JSON leads to the same error as a cursor of another list.
    return undefined;
  }
}
