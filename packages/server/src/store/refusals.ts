import type { Database } from './database.ts';

/** Why a request was refused. Contains no values from the request. */
export interface RefusalRow {
  requestId: string;
  /** Problem code. */
  code: string;
  /** What to do next, with the path and the problem of each invalid field. */
  detail: string;
  /** Milliseconds since 1970. */
  refusedAt: number;
}

export type RefusalRepository = ReturnType<typeof refusals>;

/** Requests that were refused before the service was called. */
export function refusals({ db }: Database) {
  return {
    async keepRefusal(refusal: RefusalRow): Promise<void> {
      await db.insertInto('refusals').values(refusal).execute();
    },
  };
}
