import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxClock } from '../state/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Lenders } from '../lenders/terms.ts';
import { nested, type Database } from '../state/database.ts';
import { findRows, insertRow, updateRow } from '../state/rows.ts';
import {
  approvedState,
  confirmationTokenOf,
  isContinuable,
  isOpen,
  isPending,
  stateAt,
  type Application,
  type ApplicationState,
} from './application.ts';
import { fromRow, toRow, type ApplicationRow } from './application-row.ts';
import type { ForcedOutcomes } from './forced.ts';
import { offersFor, type Offer } from './offers.ts';
import { decisionFor, type Verdict } from './outcomes.ts';
import type { Session } from './session.ts';

/** Lifetime of a session on the sandbox clock. */
const SESSION_MS = 60 * 60_000;
/** Lifetime of an offer after a pending decision, and of a request to the shopper or merchant. */
const PENDING_MS = 7 * 86_400_000;

/** Called after each state change of an application, within the same database transaction. */
type OnChange = (application: Application) => void;

/** Applications in the store, and their lifecycle until they become charges. */
export class Applications {
  readonly #database: Database;
  readonly #clock: SandboxClock;

  readonly #forced: ForcedOutcomes;
  readonly #lenders: Lenders;
  readonly #onChange: OnChange;

  constructor(
    database: Database,
    clock: SandboxClock,
    forced: ForcedOutcomes,
    lenders: Lenders,
    onChange: OnChange,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#forced = forced;
    this.#lenders = lenders;
    this.#onChange = onChange;
  }

  /** Creates the application of a primed session. */
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
    const { merchantOrderId, currency, total } = session;
    nested(this.#database, () => {
      const changing = toRow(application);
      const { id, sessionToken, createdAt } = application;
      const fixed = { id, environment, sessionToken, merchantOrderId, currency, total, createdAt };
      const linkId = session.linkId ?? null;
      const row = { ...fixed, ...changing, linkId, session: JSON.stringify(session) };
      insertRow(this.#database, 'applications', row);
      this.#onChange(application);
    });
    return application;
  }

  byId(environment: EnvironmentName, id: string): Application | undefined {
    return this.#find('id = ? AND environment = ?', id, environment);
  }

  bySessionToken(sessionToken: string): Application | undefined {
    return this.#find('session_token = ?', sessionToken);
  }

  /** Returns the applications of a link, oldest first. */
  ofLink(environment: EnvironmentName, linkId: string): Application[] {
    const sql = 'SELECT * FROM applications WHERE link_id = ? AND environment = ? ORDER BY rowid';
    return findRows<ApplicationRow>(this.#database, sql, linkId, environment).map((row) =>
      this.#catchUp(fromRow(row)),
    );
  }

  byConfirmationToken(environment: EnvironmentName, token: string): Application | undefined {
    const found = this.#find('confirmation_token = ? AND environment = ?', token, environment);
    return found && confirmationTokenOf(found) === token ? found : undefined;
  }

  /** Returns the application that opened an account, if any. */
  byAccountToken(environment: EnvironmentName, token: string): Application | undefined {
    return this.#find('account_token = ? AND environment = ? ORDER BY rowid', token, environment);
  }

  /**
   * Confirms an order on an account, without the shopper. This creates a separate application.
   * @returns undefined when the lender does not finance the order
   */
  confirmOn(account: Application, session: Session): Application | undefined {
    const { environment, applicant, offerCode } = account;
    const offer = offersFor(session, this.#lenders.list()).find(({ code }) => code === offerCode);
    if (!offer) return undefined;
    return nested(this.#database, () => {
      const created = this.create(environment, session);
      return this.#approve({ ...created, applicant, offers: [offer], offerCode });
    });
  }

  /** Records that the shopper has opened the hosted page. */
  opened(application: Application): Application {
    return application.state === 'New'
      ? this.#move(application, 'CheckoutInProgress')
      : application;
  }

  /**
   * Submits the shopper's details to the lenders. The control API can force their decision; the
   * default is {@link decisionFor}.
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
        return this.#prequalify(known);
      case 'decline':
        return this.#move(known, 'Declined');
      case 'no-lender':
        return this.#move({ ...known, decision }, 'Declined');
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
        return this.#prequalify({ ...known, afterConfirmation });
      }
    }
  }

  #prequalify(known: Application): Application {
    // The hour during which a checkout can continue starts with the decision.
    const expiresAt =
      known.session.flowType === 'Apply' ? this.#clock.now() + SESSION_MS : known.expiresAt;
    return this.#move({ ...known, expiresAt, offers: this.#offersFor(known) }, 'Prequalified');
  }

  /**
   * Continues a checkout from an application without an order: its shopper is known and approved, so
   * the offers are shown first. Without such an application, the shopper fills in the form.
   */
  continueFrom(checkout: Application, applied: Application): Application {
    const isNew = checkout.state === 'New' || checkout.state === 'CheckoutInProgress';
    if (!isNew || !isContinuable(applied, this.#clock.now())) return checkout;
    const { applicant, afterConfirmation } = applied;
    const approval = { decision: 'approve', decidesAfterMs: 0, stage: 'application' } as const;
    return nested(this.#database, () =>
      this.#decide(
        { ...checkout, applicant, afterConfirmation },
        this.#forced.take(checkout) ?? approval,
      ),
    );
  }

  #pending(known: Application, decision: 'approve' | 'decline', decidesAfterMs: number) {
    const decideAt = this.#clock.now() + decidesAfterMs;
    return this.#move(
      { ...known, decideAt, decision, expiresAt: decideAt + PENDING_MS },
      'PendingLender',
    );
  }

  /**
   * Confirms an offer. This creates the confirmation token, unless the lender's decision is
   * pending: then its approval creates the token.
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

  /** Decides a pending application now. @returns undefined when it is not pending */
  resolve(application: Application, decision: 'approve' | 'decline'): Application | undefined {
    if (!isPending(application.state)) return undefined;
    return this.#decided(application, decision);
  }

  /** Stores each decision that is due, so that its notification is sent. */
  decideDue(): void {
    const sql = 'SELECT * FROM applications WHERE decide_at <= ? ORDER BY decide_at';
    const rows = findRows<ApplicationRow>(this.#database, sql, this.#clock.now());
    for (const row of rows) this.#catchUp(fromRow(row));
  }

  /** Returns when the next decision is due, in milliseconds of the sandbox clock. */
  nextDecision(): number | undefined {
    const sql = 'SELECT min(decide_at) AS next FROM applications WHERE decide_at IS NOT NULL';
    return findRows<{ next: number | null }>(this.#database, sql)[0]?.next ?? undefined;
  }

  /** Finds an application in any environment. */
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

  #decided(application: Application, decision: 'approve' | 'decline'): Application {
    const decided = { ...application, decideAt: null, decision: null };
    if (decision === 'decline') return this.#move(decided, 'Declined');
    if (approvedState(decided) === 'Approved') return this.#approve(decided);
    return this.#move({ ...decided, offers: this.#offersFor(decided) }, 'Prequalified');
  }

  /** Cancels an application that is still open; a decided application stays unchanged. */
  cancel(application: Application): Application {
    return isOpen(application.state) ? this.#move(application, 'Cancelled') : application;
  }

  /** Records the charge of an application, within the charge's own database transaction. */
  authorized(application: Application): void {
    this.#move(application, 'Authorized');
  }

  #move(changed: Application, state: ApplicationState): Application {
    const application = { ...changed, state, updatedAt: this.#clock.now() };
    nested(this.#database, () => {
      updateRow(this.#database, 'applications', application.id, toRow(application));
      this.#onChange(application);
    });
    return application;
  }

  #find(condition: string, ...values: string[]): Application | undefined {
    const sql = `SELECT * FROM applications WHERE ${condition}`;
    const row = findRows<ApplicationRow>(this.#database, sql, ...values)[0];
    return row && this.#catchUp(fromRow(row));
  }

  /** Stores the state that the application has reached since its row was written. */
  #catchUp(application: Application): Application {
    const state = stateAt(application, this.#clock.now());
    if (state === application.state) return application;
    const { decision } = application;
    const moved =
      application.state === 'PendingLender' && decision !== null && decision !== 'no-lender'
        ? this.#decided(application, decision)
        : this.#move(application, state);
    // The offers of an earlier decision may have expired by now.
    return this.#catchUp(moved);
  }
}
