import { z } from 'zod';
import type { Database } from './database.ts';
import { deleteSetting, readSetting, writeSetting } from './rows.ts';

/**
 * How the sandbox behaves where the published contract leaves a choice or contradicts itself. The
 * first value of each is the default.
 */
export const behaviours = {
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
   * is not in the API definition: the browser SDK page has every consumer field as optional, while
   * the definition of a session requires seven.
   */
  primeConsumer: ['optional', 'required'],
} as const;
export type BehaviourName = keyof typeof behaviours;
export type Behaviour = { [Name in BehaviourName]: (typeof behaviours)[Name][number] };

/** A change to some behaviors; the others stay unchanged. */
export const behaviourChange = z.strictObject({
  chargeIdempotency: z.enum(behaviours.chargeIdempotency).optional(),
  unknownConfirmation: z.enum(behaviours.unknownConfirmation).optional(),
  answerMediaType: z.enum(behaviours.answerMediaType).optional(),
  primeConsumer: z.enum(behaviours.primeConsumer).optional(),
});
export type BehaviourChange = z.output<typeof behaviourChange>;

/** The behaviors in the store: a reset restores the defaults. */
export class Behaviours {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read(): Behaviour {
    return {
      chargeIdempotency: 'kept',
      unknownConfirmation: 'not-found',
      answerMediaType: 'application/json',
      primeConsumer: 'optional',
      ...readSetting<Partial<Behaviour>>(this.#database, 'behaviour', {}),
    };
  }

  change(change: BehaviourChange): Behaviour {
    const changed = readSetting<Partial<Behaviour>>(this.#database, 'behaviour', {});
    writeSetting(this.#database, 'behaviour', { ...changed, ...change });
    return this.read();
  }

  reset(): Behaviour {
    deleteSetting(this.#database, 'behaviour');
    return this.read();
  }
}
