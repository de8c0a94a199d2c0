import { z } from 'zod';
import { minorUnitsSchema } from './money-schema.ts';
import { ifObject, isBlank, present } from './optional.ts';
import { text } from './text.ts';

/**
 * Drops optional values of the consumer that are blank, null or malformed, which the service would
 * reject. The hosted page asks for missing data, so such a value must not cost the shop the order.
 */
function ifUsable<Schema extends z.ZodType>(schema: Schema) {
  return z
    .unknown()
    .transform((value): z.output<Schema> | undefined =>
      isBlank(value) ? undefined : schema.safeParse(value).data,
    )
    .optional();
}

const addressFieldSchemas = {
  line1: text(256),
  line2: text(256),
  city: text(128),
  zipCode: text(32),
  state: text(64),
  /** ISO 3166-1 alpha-2. */
  country: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/),
};

/** An address in the form that the service accepts: everything except `line2` is required. */
export const addressSchema = z.strictObject({
  ...addressFieldSchemas,
  line2: addressFieldSchemas.line2.optional(),
});
export type Address = z.infer<typeof addressSchema>;

/** The fields of an address. Unusable values are dropped; unknown fields are rejected. */
const addressFieldsSchema = z.strictObject({
  line1: ifUsable(addressFieldSchemas.line1),
  line2: ifUsable(addressFieldSchemas.line2),
  city: ifUsable(addressFieldSchemas.city),
  zipCode: ifUsable(addressFieldSchemas.zipCode),
  state: ifUsable(addressFieldSchemas.state),
  country: ifUsable(addressFieldSchemas.country),
});

/** Drops an address that lacks a required field: the service rejects partial addresses. */
const usableAddressSchema = ifObject(
  addressFieldsSchema.transform(
    (fields): Address | undefined => addressSchema.safeParse(present(fields)).data,
  ),
);

/** The formats of usable values. */
export const consumerFieldSchemas = {
  firstName: text(128),
  lastName: text(128),
  /** In any script (RFC 6531). */
  email: z
    .string()
    .trim()
    .pipe(z.email({ pattern: z.regexes.unicodeEmail }).max(256)),
  /** Digits only. */
  mobilePhoneNumber: z
    .string()
    .trim()
    .regex(/^\d{5,15}$/),
  merchantConsumerId: text(256),
  /** A date, such as 1990-02-03. The session's schema requires it with a consumer. */
  dateOfBirth: z.iso.date(),
  /** Minor units of the order's currency. The session's schema requires it with a consumer. */
  netMonthlyIncome: minorUnitsSchema,
};

/** The buyer. Missing or invalid values never cause a rejection; an unknown field does. */
export const consumerSchema = z
  .strictObject({
    firstName: ifUsable(consumerFieldSchemas.firstName),
    lastName: ifUsable(consumerFieldSchemas.lastName),
    email: ifUsable(consumerFieldSchemas.email),
    mobilePhoneNumber: ifUsable(consumerFieldSchemas.mobilePhoneNumber),
    merchantConsumerId: ifUsable(consumerFieldSchemas.merchantConsumerId),
    shippingAddress: usableAddressSchema,
    billingAddress: usableAddressSchema,
    dateOfBirth: ifUsable(consumerFieldSchemas.dateOfBirth),
    netMonthlyIncome: ifUsable(consumerFieldSchemas.netMonthlyIncome),
  })
  .transform(present);
export type Consumer = z.infer<typeof consumerSchema>;
