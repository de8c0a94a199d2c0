/** Returns a setting that the bench passes to the programs it starts. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run npm run bench:server.`);
  return value;
}

/** Prints the line that announces that this program accepts requests. */
export function ready(): void {
  console.log('ready');
}
