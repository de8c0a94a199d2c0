import { InvalidArgumentError } from 'commander';

/** Reads the value of a port option. */
export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 65_535) return value;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}
