import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import { isOpen, stateAt, type Application, type ApplicationState } from './application.ts';
import { offersFor, type Offer } from './offers.ts';
import { decisionFor } from './outcomes.ts';
import type { Session } from './session.ts';

/** How long a shopper has, on the sandbox clock. */
export const SESSION_MS = 60 * 60_000;
/** How long an offer that came after a pending decision, or a question to the shopper, stands. */
const PENDING_MS = 7 * 86_400_000;

/** Applications in the store, and all that can happen to one before it becomes a charge. */
export class Applications {
  readonly #database: Database;
  readonly #clock: SandboxClock;

  constructor(database: Database, clock: SandboxClock) {
    this.#database = database;
    this.#clock = clock;
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
      confirmationToken: null,
      createdAt: now,
      updatedAt: now,
      expiresAt: now + SESSION_MS,
    };
    this.#database
      .prepare(
        `INSERT INTO applications (id, environment, session_token, state, merchant_order_id,
          currency, total, session, first_name, last_name, email, created_at, updated_at, expires_at)
        VALUES (?, ?, ?, 'New', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        application.id,
        environment,
        application.sessionToken,
        session.merchantOrderId,
        session.currency,
        session.total,
        JSON.stringify(session),
        session.consumer.firstName,
        session.consumer.lastName,
        session.consumer.email,
        now,
        now,
        application.expiresAt,
      );
    return application;
  }

  byId(environment: EnvironmentName, id: string): Application | undefined {
    return this.#find('id = ? AND environment = ?', id, environment);
  }

  bySessionToken(sessionToken: string): Application | undefined {
    return this.#find('session_token = ?', sessionToken);
  }

  byConfirmationToken(environment: EnvironmentName, token: string): Application | undefined {
    return this.#find('confirmation_token = ? AND environment = ?', token, environment);
  }

  /** The shopper sees the hosted page. */
  opened(application: Application): Application {
    return application.state === 'New'
      ? this.#move(application, 'CheckoutInProgress')
      : application;
  }

  /** The shopper gave their details: the lenders decide, by {@link decisionFor}. */
  apply(application: Application, applicant: Application['applicant']): Application {
    if (application.state !== 'New' && application.state !== 'CheckoutInProgress') {
      return application;
    }
    const now = this.#clock.now();
    const { decision, decidesAfterMs } = decisionFor(applicant.lastName);
    const known = { ...application, applicant };
    switch (decision) {
      case 'approve':
        return this.#move({ ...known, offers: offersFor(known.session.total) }, 'Prequalified');
      case 'decline':
        return this.#move(known, 'Declined');
      case 'expire':
        return this.#move({ ...known, expiresAt: now }, 'Expired');
      case 'more-information':
        return this.#move({ ...known, expiresAt: now + PENDING_MS }, 'PendingConsumer');
      case 'pending-approve':
      case 'pending-decline':
        return this.#move(
          {
            ...known,
            decideAt: now + decidesAfterMs,
            decision: decision === 'pending-approve' ? 'approve' : 'decline',
            expiresAt: now + decidesAfterMs + PENDING_MS,
          },
          'PendingLender',
        );
    }
  }

  /** The shopper confirmed an offer: from now on there is a confirmation token. */
  confirm(application: Application, offerCode: string): Application {
    if (application.state !== 'Prequalified') return application;
    const confirmationToken = randomBytes(32).toString('base64url');
    return this.#move({ ...application, offerCode, confirmationToken }, 'Approved');
  }

  /** The shopper left. What has already been decided stays. */
  cancel(application: Application): Application {
    return isOpen(application.state) ? this.#move(application, 'Cancelled') : application;
  }

  /** A charge was made of it. Part of the charge's own transaction. */
  authorized(application: Application): void {
    this.#move(application, 'Authorized');
  }

  #move(changed: Application, state: ApplicationState): Application {
    const application = { ...changed, state, updatedAt: this.#clock.now() };
    this.#database
      .prepare(
        `UPDATE applications SET state = ?, first_name = ?, last_name = ?, email = ?, offers = ?,
          offer_code = ?, decide_at = ?, decision = ?, confirmation_token = ?, updated_at = ?,
          expires_at = ? WHERE id = ?`,
      )
      .run(
        state,
        application.applicant.firstName,
        application.applicant.lastName,
        application.applicant.email,
        JSON.stringify(application.offers),
        application.offerCode,
        application.decideAt,
        application.decision,
        application.confirmationToken,
        application.updatedAt,
        application.expiresAt,
        application.id,
      );
    return application;
  }

  #find(condition: string, ...values: string[]): Application | undefined {
    const row = this.#database
      .prepare(`SELECT * FROM applications WHERE ${condition}`)
      .get(...values) as ApplicationRow | undefined;
    return row && this.#catchUp(fromRow(row));
  }

  /** Time has passed since the row was written: stores what came of it. */
  #catchUp(application: Application): Application {
    const state = stateAt(application, this.#clock.now());
    if (state === application.state) return application;
    const offers = state === 'Prequalified' ? offersFor(application.session.total) : [];
    const decided = { ...application, offers: offers.length > 0 ? offers : application.offers };
    const moved = this.#move({ ...decided, decideAt: null, decision: null }, state);
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
    session: JSON.parse(row.session) as Session,
    applicant: {
      firstName: row.first_name ?? '',
      lastName: row.last_name ?? '',
      email: row.email ?? '',
    },
    offers: row.offers === null ? [] : (JSON.parse(row.offers) as Offer[]),
    offerCode: row.offer_code,
    decideAt: row.decide_at,
    decision: row.decision,
    confirmationToken: row.confirmation_token,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
  };
}
