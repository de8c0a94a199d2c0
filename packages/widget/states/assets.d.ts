declare module '*.css?inline' {
  const sheet: string;
  export default sheet;
}
