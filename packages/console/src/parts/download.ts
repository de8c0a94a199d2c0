/** Starts a download from a server address. */
export function downloadAddress(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}

/** Starts a download of content as a file. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Firefox reads the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
