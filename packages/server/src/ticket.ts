/**
 * The package `@financing-checkout/ticket` under its former name.
 * @deprecated Import `@financing-checkout/ticket`, which every server bundler resolves.
 * @packageDocumentation
 */
export * from '@financing-checkout/ticket';
