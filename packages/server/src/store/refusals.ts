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

export type RefusalRepository = ReturnType<typeof refusals>;

/** Requests that were refused before an attempt at the service. */
export function refusals({ db }: Database) {
  return {
    async keepRefusal(refusal: RefusalRow): Promise<void> {
      await db.insertInto('refusals').values(refusal).execute();
    },
  };
}
