import type { Database } from './database.ts';

/** The reason for which a request was refused. Holds no value of the request. */
export interface RefusalRow {
  requestId: string;
  /** Code of the problem. */
  code: string;
  /** What to do next, with the path and the problem of each invalid field. */
  detail: string;
  /** Milliseconds since 1970. */
  refusedAt: number;
}

export interface RefusalRepository {
  keepRefusal(refusal: RefusalRow): Promise<void>;
}

/** Requests that were refused before an attempt at the service. */
export function refusals({ db }: Database): RefusalRepository {
  return {
    async keepRefusal({ requestId, code, detail, refusedAt }) {
      await db
        .insertInto('refusals')
        .values({ request_id: requestId, code, detail, refused_at: refusedAt })
        .execute();
    },
  };
}
