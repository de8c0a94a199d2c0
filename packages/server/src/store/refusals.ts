import type { Database } from './database.ts';

/** Why a request was refused. It holds no value that was sent. */
export interface RefusalRow {
  requestId: string;
  /** Code of the problem. */
  code: string;
  /** What to do next, with the path and the reason of each field that is wrong. */
  detail: string;
  /** Milliseconds since 1970. */
  refusedAt: number;
}

export interface RefusalStore {
  keepRefusal(refusal: RefusalRow): Promise<void>;
}

/** Requests that were refused before an attempt at the service. */
export function refusals({ db }: Database): RefusalStore {
  return {
    async keepRefusal({ requestId, code, detail, refusedAt }) {
      await db
        .insertInto('refusals')
        .values({ request_id: requestId, code, detail, refused_at: refusedAt })
        .execute();
    },
  };
}
