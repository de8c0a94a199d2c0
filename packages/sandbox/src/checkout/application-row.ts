import { accountTokenOf, type Application } from './application.ts';
import type { Offer } from './offers.ts';
import type { Session } from './session.ts';

/** The columns of an application that change. */
export function toRow(application: Application) {
  const { state, applicant, offerCode, decideAt, decision, confirmationToken } = application;
  const { updatedAt, expiresAt } = application;
  const { firstName, lastName, email } = applicant;
  return {
    state,
    firstName,
    lastName,
    email,
    offerCode,
    decideAt,
    decision,
    confirmationToken,
    offers: JSON.stringify(application.offers),
    afterConfirmation:
      application.afterConfirmation && JSON.stringify(application.afterConfirmation),
    accountToken: accountTokenOf(application),
    updatedAt,
    expiresAt,
  };
}

type JsonField = 'session' | 'applicant' | 'offers' | 'afterConfirmation';

export interface ApplicationRow extends Omit<Application, JsonField> {
  session: string;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  offers: string | null;
  afterConfirmation: string | null;
}

export function fromRow({ firstName, lastName, email, ...row }: ApplicationRow): Application {
  const { afterConfirmation } = row;
  return {
    ...row,
    session: JSON.parse(row.session) as Session,
    applicant: { firstName: firstName ?? '', lastName: lastName ?? '', email: email ?? '' },
    offers: row.offers === null ? [] : (JSON.parse(row.offers) as Offer[]),
    afterConfirmation:
      afterConfirmation === null
        ? null
        : (JSON.parse(afterConfirmation) as Application['afterConfirmation']),
  };
}
