export { type MemoryCommand, type MemoryTool, memoryTool } from './memory-tool.ts';
export type Connection = {
    /** The home of Recollect; without it RECOLLECT_HOME, else ~/.recollect. */
    home?: string;
    /** The project that is meant where none is named: its key or a folder of it. Without it the folder the process stands in. */
    project?: string;
    timeoutMs?: number;
};
/** Why a question was not answered: nobody listens, too late, or the worker said no (`status` says how). */
export declare class RecollectError extends Error {
    readonly kind: 'unreachable' | 'late' | 'refused';
    readonly status: number | null;
    constructor(kind: 'unreachable' | 'late' | 'refused', message: string, status?: number | null);
}
export type Kind = 'observation' | 'summary' | 'prompt' | 'note';
export type Hit = {
    kind: Kind;
    id: string;
    type: string;
    title: string;
    snippet: string;
    project: string;
    at: number;
    score: number;
    /** What the score is made of. */
    signals: Record<string, number>;
    tokens: number;
};
export type Note = {
    id: string;
    urn: string;
    title: string;
    body: string;
    type: 'procedural' | 'semantic' | 'episodic';
    namespace: string;
    scope: 'project' | 'global' | 'local';
    project: string;
    tags: string[];
    pinned: boolean;
    createdAt: number;
    updatedAt: number;
    expiresAt: number | null;
    deletedAt: number | null;
};
export type NewNote = Partial<Pick<Note, 'title' | 'type' | 'namespace' | 'scope' | 'tags' | 'pinned' | 'expiresAt' | 'project'>> & {
    body: string;
    supersedes?: string[];
    session?: string;
    /** A note of its own, however much it resembles another. */
    apart?: boolean;
};
export type NoteChange = Omit<Partial<NewNote>, 'session' | 'apart'>;
export type Receipt = {
    kind: 'added' | 'same' | 'restated' | 'updated';
    note: Note;
    superseded?: string[];
};
export type Brief = {
    project: string;
    text: string;
    tokens: number;
    items: {
        kind: string;
        id: number | string;
        tokens: number;
        why: string;
    }[];
};
export type Item = {
    kind: Kind;
    id: string;
    type: string;
    title: string;
    at: number;
    tokens: number;
    anchor: boolean;
};
export type Client = ReturnType<typeof connect>;
/** Everything one may ask of a worker that runs (`recollect start`). Each method throws a `RecollectError` when it is not answered. */
export declare function connect(connection?: Connection): {
    /** Hits for a question, best first. `project: null` looks everywhere. */
    search: (words: string, wish?: {
        project?: string | null;
        kind?: Kind;
        limit?: number;
        offset?: number;
    }) => Promise<Hit[]>;
    /** What happened around an observation, a question's best answer or a moment. */
    timeline: (around: {
        id: number;
    } | {
        words: string;
    } | {
        at: number;
    }, wish?: {
        project?: string;
        before?: number;
        after?: number;
    }) => Promise<Item[]>;
    /** Memories in full, by the ids that hits have (`#12`, `S3`, `P7`, `N…`); null in the place of one that is not there. */
    get: (ids: string[]) => Promise<{
        id: string;
        kind: Kind;
        memory: Record<string, unknown> | null;
    }[]>;
    /** What a session would be told at its start. */
    brief: (wish?: {
        project?: string;
        branch?: string;
        tokens?: number;
    }) => Promise<Brief>;
    notes: {
        list: (wish?: {
            project?: string | null;
            namespace?: string;
            type?: Note['type'];
            hidden?: boolean;
            limit?: number;
            offset?: number;
        }) => Promise<Note[]>;
        get: (id: string) => Promise<Note>;
        /** Keeps a note. What is known already is answered with the note that says it. */
        add: (note: NewNote) => Promise<Receipt>;
        change: (id: string, change: NoteChange) => Promise<Receipt>;
        /** Hides a note; with `hard` it is gone for good. */
        forget: (id: string, how?: {
            hard?: boolean;
        }) => Promise<void>;
        restore: (id: string) => Promise<Receipt>;
    };
    /** Reports a session of your agent as hooks do: what it was asked, which tools it used, what it answered, that it is over. */
    session: (contentSessionId: string, project?: string) => {
        prompt: (text: string) => Promise<{
            promptNumber: number;
            skipped: boolean;
        }>;
        toolUse: (use: {
            name: string;
            input: unknown;
            output: unknown;
            id?: string;
        }) => Promise<{
            status: string;
        }>;
        answer: (text: string) => Promise<{
            status: string;
        }>;
        end: (reason?: string) => Promise<{
            success: boolean;
        }>;
    };
    status: () => Promise<{
        version: string;
        pid: number;
        port: number;
        home: string;
        [more: string]: unknown;
    }>;
};
