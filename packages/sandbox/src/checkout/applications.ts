import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Lenders } from '../lender/terms.ts';
import { nested, type Database } from '../store/database.ts';
import {
  approvedState,
  confirmationTokenOf,
  isOpen,
  isPending,
  stateAt,
  type Application,
  type ApplicationState,
} from './application.ts';
import type { ForcedOutcomes } from './forced.ts';
import { offersFor, type Offer } from './offers.ts';
import { decisionFor, type Verdict } from './outcomes.ts';
import { storedSession, type Session } from './session.ts';

/** How long a shopper has, on the sandbox clock. */
const SESSION_MS = 60 * 60_000;
/** How long an offer that came after a pending decision, or a question to the shopper or the shop, stands. */
const PENDING_MS = 7 * 86_400_000;

/** Hears of an application each time its state has changed. */
export type Tell = (application: Application) => void;

/** Applications in the store, and all that can happen to one before it becomes a charge. */
export class Applications {
  readonly #database: Database;
  readonly #clock: SandboxClock;

  readonly #forced: ForcedOutcomes;
  readonly #lenders: Lenders;
  readonly #tell: Tell;

  /** @param tell notifies the merchant of each change; part of the change's transaction */
  constructor(
    database: Database,
    clock: SandboxClock,
    forced: ForcedOutcomes,
    lenders: Lenders,
    tell: Tell,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#forced = forced;
    this.#lenders = lenders;
    this.#tell = tell;
  }

  /** A new application for a primed session. */
  create(environment: EnvironmentName, session: Session): Application {
    const now = this.#clock.now();
    const application: Application = {
      id: randomUUID(),
      environment,
      sessionToken: randomBytes(24).toString('base64url'),
      state: 'New',
      session,
      applicant: session.consumer,
      offers: [],
      offerCode: null,
      decideAt: null,
      decision: null,
      afterConfirmation: null,
      confirmationToken: null,
      createdAt: now,
      updatedAt: now,
      expiresAt: now + SESSION_MS,
    };
    nested(this.#database, () => this.#insert(application));
    return application;
  }

  #insert(application: Application): void {
    const { session } = application;
    this.#database
      .prepare(
        `INSERT INTO applications (id, environment, session_token, state, merchant_order_id,
          currency, total, session, first_name, last_name, email, created_at, updated_at, expires_at)
        VALUES (?, ?, ?, 'New', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        application.id,
        application.environment,
        application.sessionToken,
        session.merchantOrderId,
        session.currency,
        session.total,
        JSON.stringify(session),
        session.consumer.firstName,
        session.consumer.lastName,
        session.consumer.email,
        application.createdAt,
        application.updatedAt,
        application.expiresAt,
      );
    this.#tell(application);
  }

  byId(environment: EnvironmentName, id: string): Application | undefined {
    return this.#find('id = ? AND environment = ?', id, environment);
  }

  bySessionToken(sessionToken: string): Application | undefined {
    return this.#find('session_token = ?', sessionToken);
  }

  byConfirmationToken(environment: EnvironmentName, token: string): Application | undefined {
    const found = this.#find('confirmation_token = ? AND environment = ?', token, environment);
    return found && confirmationTokenOf(found) === token ? found : undefined;
  }

  /** The shopper sees the hosted page. */
  opened(application: Application): Application {
    return application.state === 'New'
      ? this.#move(application, 'CheckoutInProgress')
      : application;
  }

  /**
   * The shopper gave their details: the lenders decide, as was asked for by the control API, or
   * else by {@link decisionFor}.
   */
  apply(application: Application, applicant: Application['applicant']): Application {
    if (application.state !== 'New' && application.state !== 'CheckoutInProgress') {
      return application;
    }
    return nested(this.#database, () =>
      this.#decide(
        { ...application, applicant },
        this.#forced.take(application) ?? decisionFor(applicant.lastName),
      ),
    );
  }

  #decide(known: Application, { decision, decidesAfterMs, stage }: Verdict): Application {
    const now = this.#clock.now();
    switch (decision) {
      case 'approve':
        return this.#move({ ...known, offers: this.#offersFor(known) }, 'Prequalified');
      case 'decline':
        return this.#move(known, 'Declined');
      case 'expire':
        return this.#move({ ...known, expiresAt: now }, 'Expired');
      case 'more-information':
        return this.#move({ ...known, expiresAt: now + PENDING_MS }, 'PendingConsumer');
      case 'merchant-review':
        return this.#move({ ...known, expiresAt: now + PENDING_MS }, 'PendingMerchant');
      case 'pending-approve':
      case 'pending-decline': {
        const later = decision === 'pending-approve' ? 'approve' : 'decline';
        if (stage === 'application') return this.#pending(known, later, decidesAfterMs);
        const afterConfirmation = { decision: later, decidesAfterMs } as const;
        const offers = this.#offersFor(known);
        return this.#move({ ...known, offers, afterConfirmation }, 'Prequalified');
      }
    }
  }

  #pending(known: Application, decision: 'approve' | 'decline', decidesAfterMs: number) {
    const decideAt = this.#clock.now() + decidesAfterMs;
    return this.#move(
      { ...known, decideAt, decision, expiresAt: decideAt + PENDING_MS },
      'PendingLender',
    );
  }

  /**
   * The shopper confirmed an offer: from now on there is a confirmation token, unless the lender
   * takes its time: then there is one when it approves.
   */
  confirm(application: Application, offerCode: string): Application {
    if (application.state !== 'Prequalified') return application;
    const confirmed = { ...application, offerCode };
    const later = application.afterConfirmation;
    if (later) {
      const undecided = { ...confirmed, afterConfirmation: null };
      return this.#pending(undecided, later.decision, later.decidesAfterMs);
    }
    return this.#approve(confirmed);
  }

  /**
   * Decides a pending application now.
   * @returns undefined when it is not pending
   */
  resolve(application: Application, decision: 'approve' | 'decline'): Application | undefined {
    if (!isPending(application.state)) return undefined;
    return this.#decided(application, decision);
  }

  /** Stores every decision that is due, so that its notification is sent. */
  decideDue(): void {
    const rows = this.#database
      .prepare('SELECT * FROM applications WHERE decide_at <= ? ORDER BY decide_at')
      .all(this.#clock.now()) as unknown[];
    for (const row of rows) this.#catchUp(fromRow(row as ApplicationRow));
  }

  /** When the next decision falls, in milliseconds of the sandbox clock. */
  nextDecision(): number | undefined {
    const row = this.#database
      .prepare('SELECT MIN(decide_at) AS next FROM applications WHERE decide_at IS NOT NULL')
      .get();
    return typeof row?.next === 'number' ? row.next : undefined;
  }

  /** Looks in every environment. */
  byIdAnywhere(id: string): Application | undefined {
    return this.#find('id = ?', id);
  }

  #offersFor({ session }: Application): Offer[] {
    return offersFor(session, this.#lenders.list());
  }

  #approve(application: Application): Application {
    const confirmationToken = randomBytes(32).toString('base64url');
    return this.#move({ ...application, confirmationToken }, 'Approved');
  }

  /** A pending decision falls. */
  #decided(application: Application, decision: 'approve' | 'decline'): Application {
    const decided = { ...application, decideAt: null, decision: null };
    if (decision === 'decline') return this.#move(decided, 'Declined');
    if (approvedState(decided) === 'Approved') return this.#approve(decided);
    return this.#move({ ...decided, offers: this.#offersFor(decided) }, 'Prequalified');
  }

  /** The shopper left. A decision that was made stays. */
  cancel(application: Application): Application {
    return isOpen(application.state) ? this.#move(application, 'Cancelled') : application;
  }

  /** A charge was made of it. Part of the charge's own transaction. */
  authorized(application: Application): void {
    this.#move(application, 'Authorized');
  }

  #move(changed: Application, state: ApplicationState): Application {
    const application = { ...changed, state, updatedAt: this.#clock.now() };
    nested(this.#database, () => {
      this.#update(application);
      this.#tell(application);
    });
    return application;
  }

  #update(application: Application): void {
    this.#database
      .prepare(
        `UPDATE applications SET state = ?, first_name = ?, last_name = ?, email = ?, offers = ?,
          offer_code = ?, decide_at = ?, decision = ?, after_confirmation = ?,
          confirmation_token = ?, updated_at = ?, expires_at = ? WHERE id = ?`,
      )
      .run(
        application.state,
        application.applicant.firstName,
        application.applicant.lastName,
        application.applicant.email,
        JSON.stringify(application.offers),
        application.offerCode,
        application.decideAt,
        application.decision,
        application.afterConfirmation && JSON.stringify(application.afterConfirmation),
        application.confirmationToken,
        application.updatedAt,
        application.expiresAt,
        application.id,
      );
  }

  #find(condition: string, ...values: string[]): Application | undefined {
    const row = this.#database
      .prepare(`SELECT * FROM applications WHERE ${condition}`)
      .get(...values) as ApplicationRow | undefined;
    return row && this.#catchUp(fromRow(row));
  }

  /** Stores the state that the application has come to since its row was written. */
  #catchUp(application: Application): Application {
    const state = stateAt(application, this.#clock.now());
    if (state === application.state) return application;
    const { decision } = application;
    const moved =
      application.state === 'PendingLender' && decision !== null
        ? this.#decided(application, decision)
        : this.#move(application, state);
    // A decision that fell long ago may itself have run out by now.
    return this.#catchUp(moved);
  }
}

interface ApplicationRow {
  id: string;
  environment: EnvironmentName;
  session_token: string;
  state: ApplicationState;
  session: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  offers: string | null;
  offer_code: string | null;
  decide_at: number | null;
  decision: 'approve' | 'decline' | null;
  after_confirmation: string | null;
  confirmation_token: string | null;
  created_at: number;
  updated_at: number;
  expires_at: number;
}

function fromRow(row: ApplicationRow): Application {
  return {
    id: row.id,
    environment: row.environment,
    sessionToken: row.session_token,
    state: row.state,
    session: storedSession(row.session),
    applicant: {
      firstName: row.first_name ?? '',
      lastName: row.last_name ?? '',
      email: row.email ?? '',
    },
    offers: storedOffers(row.offers),
    offerCode: row.offer_code,
    decideAt: row.decide_at,
    decision: row.decision,
    afterConfirmation:
      row.after_confirmation === null
        ? null
        : (JSON.parse(row.after_confirmation) as Application['afterConfirmation']),
    confirmationToken: row.confirmation_token,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
  };
}

/** Reads stored offers. An earlier version stored no credit limit: it is the financed amount. */
function storedOffers(json: string | null): Offer[] {
  if (json === null) return [];
  const offers = JSON.parse(json) as (Omit<Offer, 'creditLimit'> & Partial<Offer>)[];
  return offers.map((offer) => ({ ...offer, creditLimit: offer.creditLimit ?? offer.amount }));
}
