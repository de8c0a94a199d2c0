import { randomUUID } from 'node:crypto';
import type { Application } from '../checkout/application.ts';
import type { Applications } from '../checkout/applications.ts';
import type { Session } from '../checkout/session.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { SandboxClock } from '../state/clock.ts';
import type { Database } from '../state/database.ts';
import { findRows, insertRow, updateRow } from '../state/rows.ts';
import { readLinkRequest, type LinkKind, type LinkRequest } from './request.ts';

/** Documented lifetime of a link, on the sandbox clock. */
const LINK_MS = 24 * 3_600_000;

/** A URL that a merchant gives to a shopper. Times are in milliseconds on the sandbox clock. */
export interface Link {
  id: string;
  environment: EnvironmentName;
  request: LinkRequest;
  /** The session that each application of the link starts with. */
  session: Session;
  createdAt: number;
  accessedAt: number | null;
  endsAt: number;
}

type LinkRow = Omit<Link, 'request' | 'session'> & { request: string; session: string };

/** The links in the store. Opening a link creates an application. */
export class Links {
  /** Origin of the hosted page, set once it listens. */
  hostedUrl = '';
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #applications: Applications;

  constructor(database: Database, clock: SandboxClock, applications: Applications) {
    this.#database = database;
    this.#clock = clock;
    this.#applications = applications;
  }

  /** Creates a link. @throws {ServiceError} see {@link readLinkRequest} */
  create(environment: EnvironmentName, kind: LinkKind, body: object): Link {
    const id = randomUUID();
    const createdAt = this.#clock.now();
    const { request, session } = readLinkRequest(kind, id, body);
    const times = { createdAt, accessedAt: null, endsAt: createdAt + LINK_MS };
    const row = { request: JSON.stringify(request), session: JSON.stringify(session) };
    insertRow(this.#database, 'links', { id, environment, ...row, ...times });
    return { id, environment, request, session, ...times };
  }

  /** @param environment any environment if null */
  byId(id: string, environment: EnvironmentName | null = null): Link | undefined {
    const condition = 'WHERE id = ?1 AND environment = coalesce(?2, environment)';
    return this.#find(condition, id, environment)[0];
  }

  /** Oldest first. */
  list(): Link[] {
    return this.#find('ORDER BY rowid');
  }

  urlOf({ id }: Link): string {
    return `${this.hostedUrl}/link/${id}`;
  }

  statusOf({ accessedAt, endsAt }: Link): 'New' | 'Accessed' | 'Expired' {
    if (endsAt <= this.#clock.now()) return 'Expired';
    return accessedAt === null ? 'New' : 'Accessed';
  }

  applicationsOf({ environment, id }: Link): Application[] {
    return this.#applications.ofLink(environment, id);
  }

  /**
   * Opens a link for a visitor, who returns to an existing application unless it is canceled or
   * expired.
   * @param sessionToken session token of the application that the visitor opened before
   * @returns undefined when the link has ended and the visitor has no application
   */
  open(link: Link, sessionToken: string | undefined): Application | undefined {
    const own =
      sessionToken === undefined ? undefined : this.#applications.bySessionToken(sessionToken);
    const isLeft = own?.state === 'Cancelled' || own?.state === 'Expired';
    if (own?.session.linkId === link.id && !isLeft) return own;
    if (this.statusOf(link) === 'Expired') return undefined;
    const accessedAt = link.accessedAt ?? this.#clock.now();
    updateRow(this.#database, 'links', link.id, { accessedAt });
    return this.#applications.create(link.environment, link.session);
  }

  /** Ends the link of an application that the lenders have decided on, as documented. */
  applicationChanged({ environment, session, state }: Application): void {
    const isApplied = state === 'Prequalified' && session.flowType === 'Apply';
    if (state !== 'Approved' && state !== 'Declined' && !isApplied) return;
    const link = session.linkId === undefined ? undefined : this.byId(session.linkId, environment);
    if (!link || this.statusOf(link) === 'Expired') return;
    updateRow(this.#database, 'links', link.id, { endsAt: this.#clock.now() });
  }

  /** Returns the charge that the link requests for a confirmed application, if any. */
  chargeOf({ environment, session, state }: Application): { settle: boolean } | undefined {
    if (state !== 'Approved' || session.linkId === undefined) return undefined;
    const { charge, settle = false } =
      this.byId(session.linkId, environment)?.request.checkoutOptions ?? {};
    return charge === true ? { settle } : undefined;
  }

  #find(condition: string, ...values: (string | null)[]): Link[] {
    const sql = `SELECT * FROM links ${condition}`;
    return findRows<LinkRow>(this.#database, sql, ...values).map((row) => ({
      ...row,
      request: JSON.parse(row.request) as LinkRequest,
      session: JSON.parse(row.session) as Session,
    }));
  }
}
