/** A short name for a text: the same text always has the same one. */
export declare function fingerprint(text: string, length?: number): string;
