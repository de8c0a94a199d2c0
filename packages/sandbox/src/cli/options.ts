import { InvalidArgumentError } from 'commander';

export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 65_535) return value;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

export function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number.');
}
