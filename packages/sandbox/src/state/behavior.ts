import { z } from 'zod';
import type { Database } from './database.ts';
import { deleteSetting, readSetting, writeSetting } from './rows.ts';

/**
 * How the sandbox behaves where the published contract leaves a choice or contradicts itself. The
 * first value of each is the default.
 */
export const behaviors = {
  /**
   * `kept`: a repeated `merchantTransactionId` returns the original charge, as documented.
   * `token-only`: the sandbox ignores that id and rejects only a used confirmation token.
   */
  chargeIdempotency: ['kept', 'token-only'],
  /** Response to a charge with an unknown confirmation: 404 without a body, or 400 code 2004. */
  unknownConfirmation: ['not-found', 'bad-request'],
  /** Media type of the responses that are documented with three media types. */
  answerMediaType: ['application/json', 'text/plain', 'text/json'],
  /**
   * Whether a consumer in `POST /v1/checkout/prime` needs the fields that a session requires. Prime
   * is not in the API definition: the browser SDK page lists every consumer field as optional,
   * while the session's definition requires seven.
   */
  primeConsumer: ['optional', 'required'],
} as const;
export type BehaviorName = keyof typeof behaviors;
export type Behavior = { [Name in BehaviorName]: (typeof behaviors)[Name][number] };

/** A change to some behaviors; the others stay unchanged. */
export const behaviorChange = z.strictObject({
  chargeIdempotency: z.enum(behaviors.chargeIdempotency).optional(),
  unknownConfirmation: z.enum(behaviors.unknownConfirmation).optional(),
  answerMediaType: z.enum(behaviors.answerMediaType).optional(),
  primeConsumer: z.enum(behaviors.primeConsumer).optional(),
});
export type BehaviorChange = z.output<typeof behaviorChange>;

/** The behaviors in the store: a reset restores the defaults. */
export class Behaviors {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read(): Behavior {
    return {
      chargeIdempotency: 'kept',
      unknownConfirmation: 'not-found',
      answerMediaType: 'application/json',
      primeConsumer: 'optional',
      ...readSetting<Partial<Behavior>>(this.#database, 'behavior', {}),
    };
  }

  change(change: BehaviorChange): Behavior {
    const changed = readSetting<Partial<Behavior>>(this.#database, 'behavior', {});
    writeSetting(this.#database, 'behavior', { ...changed, ...change });
    return this.read();
  }

  reset(): Behavior {
    deleteSetting(this.#database, 'behavior');
    return this.read();
  }
}
