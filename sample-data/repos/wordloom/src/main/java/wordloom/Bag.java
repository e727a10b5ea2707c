package wordloom;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;

/** Counts how often each thing was put in. */
public class Bag<T extends Comparable<T>> implements Iterable<T> {

    private final Map<T, Integer> counts = new TreeMap<>();

    /** A thing and how often it is there. */
    public static class Entry<T> {
        private final T thing;
        private final int count;

        Entry(T thing, int count) {
            this.thing = thing;
            this.count = count;
        }

        public T thing() {
            return thing;
        }

        public int count() {
            return count;
        }
    }

    /** Walks over every copy of every thing. */
    public class Cursor implements Iterator<T> {
        private final Iterator<T> things = counts.keySet().iterator();
        private T current;
        private int left;

        @Override
        public boolean hasNext() {
            return left > 0 || things.hasNext();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            if (left == 0) {
                current = things.next();
                left = count(current);
            }
            left--;
            return current;
        }

        /** A cursor only looks. */
        @Override
        public void remove() {
            throw new UnsupportedOperationException("a cursor only looks");
        }
    }

    public void add(T thing) {
        add(thing, 1);
    }

    public void add(T thing, int times) {
        counts.merge(thing, times, Integer::sum);
    }

    @SafeVarargs
    public final void addAll(T... things) {
        for (T thing : things) {
            add(thing);
        }
    }

    public void addAll(Iterable<? extends T> things) {
        for (T thing : things) {
            add(thing);
        }
    }

    /** Takes one copy out; returns whether there was one. */
    public boolean remove(T thing) {
        if (count(thing) == 0) {
            return false;
        }
        counts.compute(thing, (key, count) -> count == 1 ? null : count - 1);
        return true;
    }

    public int count(T thing) {
        return counts.getOrDefault(thing, 0);
    }

    /** The things that are there most often, the most common first; equals in their own order. */
    public List<T> mostCommon(int n) {
        List<T> common = new ArrayList<>();
        for (Entry<T> entry : sorted()) {
            if (common.size() == n) {
                break;
            }
            common.add(entry.thing());
        }
        return common;
    }

    private List<Entry<T>> sorted() {
        List<Entry<T>> entries = entries();
        entries.sort(Comparator.comparingInt((Entry<T> entry) -> entry.count()).reversed());
        return entries;
    }

    private List<Entry<T>> entries() {
        List<Entry<T>> entries = new ArrayList<>();
        counts.forEach((thing, count) -> entries.add(new Entry<>(thing, count)));
        return entries;
    }

    public Cursor cursor() {
        return new Cursor();
    }

    @Override
    public Iterator<T> iterator() {
        return cursor();
    }
}
