/** The version of this package. A test holds it to package.json's. */
export const version = '0.2.0';
