import { emailAddress } from '../checkout/session.ts';
import type { Text } from './text/index.ts';

/** The applicant's form values, as typed. */
export interface DetailsForm {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  birthDate: string;
  income: string;
  consent: string;
}

/** The error messages of invalid fields. */
export type FormErrors<Field extends string> = Partial<Record<Field, string>>;

const ADULT_YEARS = 18;

/** Reads form fields as strings; a file counts as empty. */
export function readDetails(body: Record<string, unknown>): DetailsForm {
  const read = (name: keyof DetailsForm) => {
    const value = body[name];
    return typeof value === 'string' ? value.trim().slice(0, 512) : '';
  };
  return {
    firstName: read('firstName'),
    lastName: read('lastName'),
    email: read('email'),
    phone: read('phone'),
    birthDate: read('birthDate'),
    income: read('income'),
    consent: read('consent'),
  };
}

/** Returns the errors of a form; an empty object for a valid one. */
export function checkDetails(
  form: DetailsForm,
  text: Text['errors'],
  now: number,
): FormErrors<keyof DetailsForm> {
  const errors: FormErrors<keyof DetailsForm> = {};
  if (form.firstName === '' || form.firstName.length > 128) errors.firstName = text.firstName;
  if (form.lastName === '' || form.lastName.length > 128) errors.lastName = text.lastName;
  if (!emailAddress.safeParse(form.email).success) errors.email = text.email;
  if (!/^\d{7,15}$/.test(form.phone.replaceAll(/[\s().+/-]/g, ''))) errors.phone = text.phone;
  const age = ageAt(form.birthDate, now);
  if (age === undefined) errors.birthDate = text.birthDate;
  else if (age < ADULT_YEARS) errors.birthDate = text.tooYoung;
  if (!/^\d{1,12}([.,]\d{1,2})?$/.test(form.income.replaceAll(/[\s,']+(?=\d{3})/g, ''))) {
    errors.income = text.income;
  }
  if (form.consent === '') errors.consent = text.consent;
  return errors;
}

/** Returns the age in full years at `now`; undefined for an invalid date of birth. */
function ageAt(birthDate: string, now: number): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(birthDate)) return undefined;
  const born = new Date(`${birthDate}T00:00:00Z`);
  if (Number.isNaN(born.getTime()) || !born.toISOString().startsWith(birthDate)) return undefined;
  const today = new Date(now);
  const hadBirthday = today.toISOString().slice(5, 10) >= birthDate.slice(5);
  const age = today.getUTCFullYear() - born.getUTCFullYear() - (hadBirthday ? 0 : 1);
  return age >= 0 && age <= 120 ? age : undefined;
}
