import {
  confirmationTokenOf,
  confirmedOfferOf,
  type Application,
} from '../checkout/application.ts';
import type { Applications } from '../checkout/applications.ts';
import { readSession } from '../checkout/session.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { errorCodes, ServiceError } from '../platform/service-error.ts';
import { nested, type Database } from '../state/database.ts';
import { findRows } from '../state/rows.ts';
import type { Charges } from './charges.ts';
import type { CreatedCharge } from './creation.ts';

/** An order that a merchant confirms on an account. Cart amounts are in the major unit. */
export interface AccountOrder {
  accountToken: string;
  cartDetails: object;
  channel: string;
  storeId?: string | null | undefined;
  posId?: string | null | undefined;
  posType?: string | null | undefined;
  promoCode?: string | null | undefined;
  tags?: Record<string, string> | undefined;
}

interface AccountChargeRequest {
  merchantOrderId?: string | undefined;
  /** Id of the authorization; it makes the charge idempotent. */
  merchantTransactionId?: string | undefined;
  withSettle: boolean;
}

/** The credit of an account, in minor units of its currency. */
interface Credit {
  original: number;
  available: number;
}

/** Accounts that a confirmed application opened: for a line of credit, or without an order. */
export class Accounts {
  readonly #database: Database;
  readonly #applications: Applications;
  readonly #charges: Charges;

  constructor(database: Database, applications: Applications, charges: Charges) {
    this.#database = database;
    this.#applications = applications;
    this.#charges = charges;
  }

  /** Returns the application that opened an account. @throws {ServiceError} 404 */
  get(environment: EnvironmentName, token: string): Application {
    const account = this.#applications.byAccountToken(environment, token);
    if (!account) throw new ServiceError(404, errorCodes.notFound, 'account not found');
    return account;
  }

  /** Returns the credit. Charges reduce it, except for their voided and refunded parts. */
  creditOf(account: Application, token: string): Credit {
    const sql = `SELECT coalesce(sum(total - voided - refunded), 0) AS used FROM charges
      WHERE application_id IN (SELECT id FROM applications WHERE account_token = ?)`;
    const used = findRows<{ used: number }>(this.#database, sql, token)[0]?.used ?? 0;
    const original = confirmedOfferOf(account)?.creditLimit ?? 0;
    return { original, available: Math.max(0, original - used) };
  }

  /**
   * Confirms an order on an account.
   * @returns the confirmation token, valid for one charge
   * @throws {ServiceError} 404 for an unknown account; 422 for an invalid order; 400 code 1110 for
   * an order that the lender does not finance, or that exceeds the available credit
   */
  confirm(environment: EnvironmentName, order: AccountOrder): string {
    const account = this.get(environment, order.accountToken);
    const { accountToken, cartDetails, channel, storeId, posId, posType, promoCode, tags } = order;
    const { currency, merchantConsumerId } = account.session;
    const read = readSession(
      {
        checkoutDetails: { currency, channel, promoCode, tags },
        cartDetails,
        consumerDetails: { ...account.applicant, merchantConsumerId },
        merchantDetails: { storeId, posId, posType },
      },
      'optional',
    );
    const { available } = this.creditOf(account, accountToken);
    if (read.total > available) throw refused('The total is above the available credit.');
    const confirmed = this.#applications.confirmOn(account, { ...read, accountToken });
    const token = confirmed && confirmationTokenOf(confirmed);
    if (typeof token !== 'string') throw refused('The lender does not finance this order.');
    return token;
  }

  /**
   * Charges an account. A `merchantTransactionId` that an authorization already has returns the
   * original charge, as when a charge is created.
   * @throws {ServiceError} like {@link confirm}, and like creating a charge
   */
  charge(
    environment: EnvironmentName,
    order: AccountOrder,
    { withSettle, ...request }: AccountChargeRequest,
  ): CreatedCharge {
    return nested(this.#database, () => {
      this.get(environment, order.accountToken);
      const original = this.#charges.original(environment, request.merchantTransactionId);
      if (original) return original;
      const confirmationToken = this.confirm(environment, order);
      return this.#charges.create(environment, { ...request, confirmationToken }, withSettle);
    });
  }
}

function refused(message: string): ServiceError {
  return new ServiceError(400, errorCodes.validation, message);
}
