/**
 * Everything we read from the process environment, in one place. Nothing deeper asks the environment who it is; the hook
 * imports this file, so it stays free of packages.
 */
export type Environment = {
    /** Where Recollect keeps everything. */
    home: string;
    /** Claude Code's own folder. */
    claudeConfig: string;
    /** The client executable a person or a test named. */
    claudeBin: string | null;
    userHome: string;
    temporary: string;
    runtime: string | null;
    uid: number;
    path: string;
    /** `RECOLLECT_SECTION_KEY` variables, for the settings. */
    overrides: Record<string, string>;
    /** Keys for text models, by the variable they stand in. They are never printed. */
    keys: Record<string, string>;
};
export declare function readEnvironment(): Environment;
/** Whether a person looks at a terminal that shows colours. Touching stdout costs ten milliseconds, so hooks never ask. */
export declare function wantsColour(): boolean;
/** The editor a person has chosen, if any. */
export declare function editorCommand(): string | null;
/** The shell's proxy settings: a client sends even calls to this machine through them. */
export declare function proxySettings(): Record<string, string>;
/** Moves the home for this process and what it starts: the `--home` flag, which a hook without a shell needs. */
export declare function setHome(folder: string): void;
/** What the client tells a command hook through its environment, and an http hook not at all. */
export declare function hookEnvironment(): {
    projectFolder: string | null;
    clientPid: number | null;
    entrypoint: string | null;
    ours: boolean;
};
