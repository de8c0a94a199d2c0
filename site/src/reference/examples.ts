/** The part of JSON Schema used by the programs' OpenAPI documents. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
}

/** Values by field or parameter name. */
const byName: Readonly<Record<string, unknown>> = {
  amount: 12_500,
  value: 12_500,
  totalAmount: 12_500,
  price: 12_500,
  quantity: 1,
  taxAmount: 0,
  shippingAmount: 0,
  currency: 'USD',
  merchantOrderId: 'A-1001',
  orderId: 'A-1001',
  order: 'A-1001',
  orderKey: 'order:A-1001',
  id: '1',
  caseId: '42',
  chargeId: 'charge-1',
  checkoutId: 'chk_4pSx2mQw',
  operationId: 'opr_7hT2kPq9',
  export: '3',
  table: 'orders',
  'Idempotency-Key': '5f0c6f0e-8a3b-4d8e-9f57-0d6c1b1f2a10',
  'Financing-Checkout-Secret': '5f0c6f0e-8a3b-4d8e-9f57-0d6c1b1f2a10',
  'Financing-Checkout-Version': '1',
  'Financing-Console': '1',
  lender: 'Example Lender',
  name: 'anna',
  by: 'anna',
  email: 'shopper@example.com',
  zone: 'America/New_York',
  locale: 'en-US',
  requestId: 'req_1f9k2mQw7hTk',
  version: '0.3.0',
};

/** Values for a pattern or format; the first one that fits is used. */
const candidates = [
  '2026-11-02T09:30:00.000Z',
  '2026-11-02',
  '2026-11',
  '1763981000000.chk_4pSx2mQw',
  'USD',
  'US',
  'en-US',
  '12.5',
  '42',
  '123456',
  'chk_4pSx2mQw',
  'opr_7hT2kPq9',
  'a1b2c3d4'.repeat(8),
  `42:${'a1b2c3d4'.repeat(8)}`,
  'shopper@example.com',
  'https://shop.example/orders/A-1001',
  'SGVsbG8=',
  'text',
  'x',
];

const formats: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-.*T/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: /^https:/,
  email: /@/,
  base64: /=$/,
};

function fits(value: string, { format, maxLength = Infinity, minLength = 0, pattern }: Schema) {
  return (
    value.length >= minLength &&
    value.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern).test(value)) &&
    (format === undefined || formats[format]?.test(value) !== false)
  );
}

function exampleText(schema: Schema, name: string): string {
  const { [name]: named } = byName;
  const filled = 'x'.repeat(schema.minLength ?? 0);
  const found = [
    ...(typeof named === 'string' ? [named] : []),
    ...candidates.slice(-2),
    ...candidates,
    filled,
  ].find((value) => fits(value, schema));
  if (found === undefined) throw new Error(`No example of ${name} fits ${JSON.stringify(schema)}.`);
  return found;
}

function exampleNumber({ maximum = Infinity, minimum = -Infinity }: Schema, name: string): number {
  const { [name]: named } = byName;
  const wanted = typeof named === 'number' ? named : 1;
  return Math.min(Math.max(wanted, minimum), maximum);
}

/** Returns an example value for a schema. @throws {Error} if no example fits */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(first, name);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return exampleText(schema, name);
    case 'integer':
    case 'number':
      return exampleNumber(schema, name);
    case 'boolean':
      return schema.default ?? false;
    case 'null':
      return null;
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, name.replace(/s$/, ''))];
    case 'object':
      return exampleObject(schema);
    case undefined:
    default:
      return {};
  }
}

function exampleObject(schema: Schema): Record<string, unknown> {
  const { additionalProperties, properties = {}, propertyNames, required = [] } = schema;
  const shown = Object.entries(properties).filter(
    // Optional parts of an answer appear only sometimes, so only the table of fields has them.
    ([name, { description }]) => required.includes(name) || description !== undefined,
  );
  const members = shown.map(([name, schema]) => [name, exampleOf(schema, name)]);
  const isAny =
    typeof additionalProperties !== 'object' || Object.keys(additionalProperties).length === 0;
  if (members.length === 0 && !isAny) {
    const key = propertyNames === undefined ? 'USD' : exampleOf(propertyNames);
    return { [String(key)]: exampleOf(additionalProperties) };
  }
  return Object.fromEntries(members) as Record<string, unknown>;
}
