import type { Database } from './database.ts';
import { type ClaimedKey, type FinishKey, idempotencyKeys, type KeyClaim } from './idempotency.ts';
import {
  beginLink,
  type BeginLink,
  type BegunLink,
  finishLink,
  type FinishLink,
  joinLink,
  type JoinLink,
  linkClaim,
  LinkTaken,
} from './link-claims.ts';
import type { OrderOf } from './prime-budget.ts';

export type BeginPrime = KeyClaim & {
  [Field in 'link' | 'message']?: BeginLink[Field] | undefined;
};
export type FinishPrime = FinishKey | FinishLink;

/** Primes of a session or of a link, each with an idempotency key. */
export function primes({ db, transact }: Database) {
  const keys = idempotencyKeys(db);

  /** Claims a new or released key, and the link of its order if it begins one. */
  function beginPrime(begin: KeyClaim & { link?: undefined }): Promise<ClaimedKey>;
  function beginPrime(begin: BeginPrime): Promise<BegunLink>;
  function beginPrime({ link, ...begin }: BeginPrime): Promise<BegunLink> {
    if (link === undefined) return transact((tx) => keys.claim(tx, begin));
    return transact((tx) => beginLink(tx, keys, { ...begin, link })).catch((error: unknown) => {
      if (error instanceof LinkTaken) return { kind: 'link-taken' };
      throw error;
    });
  }

  return {
    findIdempotency: (key: string) => keys.find(db, key),
    beginPrime,
    finishPrime: (finish: FinishPrime) =>
      transact((tx) =>
        'linkOf' in finish ? finishLink(tx, keys, finish) : keys.finish(tx, finish),
      ),
    /**
     * Records that a new key shows the checkout of an active link. This counts as a prime of the
     * order.
     */
    joinLink: (join: JoinLink) => transact((tx) => joinLink(tx, keys, join)),
    /**
     * Returns the claim on an order's link; `checkoutId` is undefined while the link is being
     * created.
     */
    findLinkClaim: (order: OrderOf) => linkClaim(db, order),
  };
}
