import { z } from 'zod';
import { isState } from './tax.ts';

const text = (label: string, max: number) =>
  z
    .string()
    .trim()
    .min(1, { error: `${label}.` })
    .max(max, { error: `Use ${max} characters at most.` })
    // A name or an address contains no line breaks or other control characters.
    .regex(/^\P{Cc}*$/u, { error: 'Use one line of plain text.' });

/** The checkout form's customer and delivery address, with the order ticket's limits. */
const customerSchema = z.object({
  firstName: text('Enter your first name', 128),
  lastName: text('Enter your last name', 128),
  email: z
    .string()
    .trim()
    .pipe(z.email({ error: 'Enter an e-mail address, such as ana@example.com.' }).max(256)),
  phone: z
    .string()
    .trim()
    .transform((value) => value.replace(/[\s().+-]/g, ''))
    .refine((value) => value === '' || /^\d{10,15}$/.test(value), {
      error: 'Enter a phone number with its area code, or leave it empty.',
    }),
  line1: text('Enter a street and number', 256),
  line2: z
    .string()
    .trim()
    .max(256)
    .regex(/^\P{Cc}*$/u),
  city: text('Enter a city', 128),
  state: z.string().refine(isState, { error: 'Choose a state.' }),
  zipCode: z
    .string()
    .trim()
    .regex(/^\d{5}(-\d{4})?$/, { error: 'Enter a ZIP code of five digits.' }),
});
export type Customer = z.infer<typeof customerSchema>;
export type CustomerField = keyof Customer;

export const customerFields = Object.keys(customerSchema.shape) as CustomerField[];

/** Submitted values and their errors. */
export interface CustomerForm {
  values: Partial<Record<CustomerField, string>>;
  errors: Partial<Record<CustomerField, string>>;
}

/** Parses the checkout form into a customer, or into the form with its errors. */
export function readCustomer(
  body: Record<string, unknown>,
): { ok: true; customer: Customer } | { ok: false; form: CustomerForm } {
  const values: CustomerForm['values'] = {};
  for (const field of customerFields) {
    const value = body[field];
    values[field] = typeof value === 'string' ? value : '';
  }
  const result = customerSchema.safeParse(values);
  if (result.success) return { ok: true, customer: result.data };
  const errors: CustomerForm['errors'] = {};
  for (const issue of result.error.issues) {
    const field = customerFields.find((name) => name === issue.path[0]);
    if (field) errors[field] ??= issue.message;
  }
  return { ok: false, form: { values, errors } };
}
