/** A setting that the bench passes to each program it starts. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run npm run bench:server.`);
  return value;
}

/** Tells the bench, on standard output, that this program takes requests. */
export function ready(): void {
  console.log('ready');
}
