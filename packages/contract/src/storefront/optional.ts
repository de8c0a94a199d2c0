import { z } from 'zod';

/** Returns whether a value means that a field is absent. */
export function isBlank(value: unknown): boolean {
  return (
    value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
  );
}

/**
 * Returns whether a value means that an object is absent. This includes an object without fields,
 * and an empty array, which PHP writes for an empty map.
 */
export function isEmpty(value: unknown): boolean {
  return isBlank(value) || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

/** Makes a schema optional; null and blank strings count as absent. */
export function unlessBlank<Schema extends z.ZodType>(schema: Schema) {
  return optionalUnless(isBlank, schema);
}

/** Makes an object or a map optional; null, blank strings, `{}` and `[]` count as absent. */
export function unlessEmpty<Schema extends z.ZodType>(schema: Schema) {
  return optionalUnless(isEmpty, schema);
}

/** Makes an array optional; null, blank strings and `{}` count as absent, but `[]` does not. */
export function optionalList<Schema extends z.ZodType>(schema: Schema) {
  return optionalUnless((value) => isEmpty(value) && !Array.isArray(value), schema);
}

/** Makes a schema optional; the values that `isAbsent` recognizes count as absent. */
export function optionalUnless<Schema extends z.ZodType>(
  isAbsent: (value: unknown) => boolean,
  schema: Schema,
) {
  return z
    .preprocess((value) => (isAbsent(value) ? undefined : value), schema.optional())
    .optional();
}

/** Makes an object optional: an empty object, or another type, is dropped. */
export function ifObject<Schema extends z.ZodType>(schema: Schema) {
  return optionalUnless(
    (value) => isEmpty(value) || typeof value !== 'object' || Array.isArray(value),
    schema,
  );
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields that have a value. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
