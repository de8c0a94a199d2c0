/** The subset of Standard Schema (which zod implements) that validates options and responses. */
export interface Schema<Value> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<Value> | Promise<SchemaResult<Value>>;
  };
}

type SchemaResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** Validates a value. Route and response schemas are synchronous. */
export function check<Value>(schema: Schema<Value>, value: unknown): SchemaResult<Value> {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new TypeError('The schema is asynchronous.');
  return result;
}
