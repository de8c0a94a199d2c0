/** Where a listener accepts connections. */
export interface Listener {
  host: string;
  port: number;
}
