import { z } from 'zod';
import type { Database } from '../store/database.ts';

/**
 * Where the published contract leaves a choice or contradicts itself, which way the sandbox answers.
 * The first value of each is the default.
 */
export const behaviours = {
  /**
   * `kept`: a repeated `merchantTransactionId` answers the original charge, as published.
   * `token-only`: that is forgotten; a used confirmation token is refused and nothing else is.
   */
  chargeIdempotency: ['kept', 'token-only'],
  /** A charge of an unknown confirmation: 404 without a body, or 400 with code 2004. */
  unknownConfirmation: ['not-found', 'bad-request'],
  /** Media type of the answers that are published with three. */
  answerMediaType: ['application/json', 'text/plain', 'text/json'],
  /**
   * Whether a consumer of `POST /v1/checkout/prime` needs the fields that one of a session needs.
   * Prime is in no definition: the page of the browser SDK has every field of a consumer optional,
   * the session's definition requires seven.
   */
  primeConsumer: ['optional', 'required'],
} as const;
export type BehaviourName = keyof typeof behaviours;
export type Behaviour = { [Name in BehaviourName]: (typeof behaviours)[Name][number] };

/** A change of some behaviours; the others stay as they are. */
export const behaviourChange = z.strictObject({
  chargeIdempotency: z.enum(behaviours.chargeIdempotency).optional(),
  unknownConfirmation: z.enum(behaviours.unknownConfirmation).optional(),
  answerMediaType: z.enum(behaviours.answerMediaType).optional(),
  primeConsumer: z.enum(behaviours.primeConsumer).optional(),
});
export type BehaviourChange = z.output<typeof behaviourChange>;

/** The behaviours in the store: they are part of the state, and a reset restores the defaults. */
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
      ...this.#changed(),
    };
  }

  change(change: BehaviourChange): Behaviour {
    this.#database
      .prepare(`INSERT OR REPLACE INTO settings (name, value) VALUES ('behaviour', ?)`)
      .run(JSON.stringify({ ...this.#changed(), ...change }));
    return this.read();
  }

  /** Restores the defaults. */
  reset(): Behaviour {
    this.#database.prepare(`DELETE FROM settings WHERE name = 'behaviour'`).run();
    return this.read();
  }

  #changed(): Partial<Behaviour> {
    const row = this.#database.prepare(`SELECT value FROM settings WHERE name = 'behaviour'`).get();
    return typeof row?.value === 'string' ? (JSON.parse(row.value) as Partial<Behaviour>) : {};
  }
}
