/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the allocators' functions in the kernel: those of 6.1, and those since
 * 6.10, which appended _noprof to most. Each kernel has some of them.
 *
 * The module uses these lists to find call sites: the first caller outside of them, and of
 * clones that the compiler made of them. The tool finds the calls of these functions in debug
 * information.
 */
#ifndef KMT_ALLOCATORS_H
#define KMT_ALLOCATORS_H

/* kmalloc() of a size that is not a constant; a large one takes pages. */
#define KMT_KMALLOC_FUNCTIONS(X)                                               \
	X("__kmalloc")                                                         \
	X("__kmalloc_noprof")                                                  \
	X("__kmalloc_node")                                                    \
	X("__kmalloc_node_noprof")                                             \
	X("__kmalloc_node_track_caller")                                       \
	X("__kmalloc_node_track_caller_noprof")

/* Other slab objects. */
#define KMT_SLAB_FUNCTIONS(X)                                                  \
	X("__kmalloc_cache_noprof")                                            \
	X("__kmalloc_cache_node_noprof")                                       \
	X("kmalloc_trace")                                                     \
	X("kmalloc_node_trace")                                                \
	X("kmem_cache_alloc")                                                  \
	X("kmem_cache_alloc_noprof")                                           \
	X("kmem_cache_alloc_lru")                                              \
	X("kmem_cache_alloc_lru_noprof")                                       \
	X("kmem_cache_alloc_from_sheaf_noprof")                                \
	X("kmem_cache_alloc_node")                                             \
	X("kmem_cache_alloc_node_noprof")                                      \
	X("kmem_cache_alloc_bulk")                                             \
	X("kmem_cache_alloc_bulk_noprof")

/* A kmalloc that is too large for a slab takes pages. */
#define KMT_LARGE_FUNCTIONS(X)                                                 \
	X("kmalloc_large")                                                     \
	X("kmalloc_large_node")                                                \
	X("__kmalloc_large_node")                                              \
	X("___kmalloc_large_node")                                             \
	X("__kmalloc_large_noprof")                                            \
	X("__kmalloc_large_node_noprof")

/* Functions that allocate pages. */
#define KMT_PAGE_FUNCTIONS(X)                                                  \
	X("__alloc_pages")                                                     \
	X("__alloc_pages_noprof")                                              \
	X("__alloc_frozen_pages_noprof")                                       \
	X("alloc_frozen_pages_noprof")                                         \
	X("alloc_pages")                                                       \
	X("alloc_pages_noprof")                                                \
	X("alloc_pages_node_noprof")                                           \
	X("alloc_pages_nolock_noprof")                                         \
	X("alloc_frozen_pages_nolock_noprof")                                  \
	X("alloc_pages_mpol")                                                  \
	X("alloc_pages_mpol_noprof")                                           \
	X("alloc_pages_interleave")                                            \
	X("alloc_pages_preferred_many")                                        \
	X("alloc_page_interleave")                                             \
	X("__alloc_pages_bulk")                                                \
	X("alloc_pages_bulk_noprof")                                           \
	X("alloc_pages_bulk_array_mempolicy")                                  \
	X("alloc_pages_bulk_array_mempolicy_noprof")                           \
	X("alloc_pages_bulk_mempolicy_noprof")                                 \
	X("alloc_pages_exact")                                                 \
	X("alloc_pages_exact_noprof")                                          \
	X("alloc_pages_exact_nid")                                             \
	X("alloc_pages_exact_nid_noprof")                                      \
	X("make_alloc_exact")                                                  \
	X("__folio_alloc")                                                     \
	X("__folio_alloc_noprof")                                              \
	X("folio_alloc")                                                       \
	X("folio_alloc_noprof")                                                \
	X("folio_alloc_mpol_noprof")                                           \
	X("filemap_alloc_folio")                                               \
	X("filemap_alloc_folio_noprof")                                        \
	X("vma_alloc_folio")                                                   \
	X("vma_alloc_folio_noprof")                                            \
	X("__get_free_pages")                                                  \
	X("get_free_pages_noprof")                                             \
	X("get_zeroed_page")                                                   \
	X("get_zeroed_page_noprof")

/* Functions that free pages. */
#define KMT_PAGE_FREE_FUNCTIONS(X)                                             \
	X("__free_pages")                                                      \
	X("___free_pages")                                                     \
	X("__free_pages_ok")                                                   \
	X("free_pages")                                                        \
	X("free_pages_exact")                                                  \
	X("free_unref_page")                                                   \
	X("free_unref_page_list")                                              \
	X("free_unref_page_prepare")                                           \
	X("free_unref_page_commit")                                            \
	X("free_unref_folios")                                                 \
	X("free_frozen_pages")                                                 \
	X("__free_frozen_pages")                                               \
	X("free_pages_prepare")                                                \
	X("free_pcp_prepare")                                                  \
	X("free_compound_page")                                                \
	X("destroy_large_folio")                                               \
	X("free_large_folio")                                                  \
	X("__folio_put")                                                       \
	X("__folio_put_small")                                                 \
	X("__folio_put_large")                                                 \
	X("__put_page")                                                        \
	X("folios_put_refs")                                                   \
	X("release_pages")

/* The per-CPU allocator. */
#define KMT_PERCPU_FUNCTIONS(X)                                                \
	X("pcpu_alloc")                                                        \
	X("pcpu_alloc_noprof")                                                 \
	X("__alloc_percpu")                                                    \
	X("__alloc_percpu_gfp")

#define KMT_PERCPU_FREE_FUNCTIONS(X)                                           \
	X("free_percpu")                                                       \
	X("pcpu_free_area")

/*
 * Wrappers: the module charges their allocations to their callers. Since 6.10, mainline
 * does the same for these functions.
 */
#define KMT_WRAPPERS(X)                                                        \
	X("krealloc")                                                          \
	X("krealloc_noprof")                                                   \
	X("krealloc_node_align_noprof")                                        \
	X("kmemdup")                                                           \
	X("kmemdup_noprof")                                                    \
	X("kvmalloc_node")                                                     \
	X("__kvmalloc_node_noprof")                                            \
	X("kvrealloc")                                                         \
	X("kvrealloc_noprof")                                                  \
	X("kvrealloc_node_align_noprof")                                       \
	X("__vmalloc")                                                         \
	X("__vmalloc_noprof")                                                  \
	X("__vmalloc_node")                                                    \
	X("__vmalloc_node_noprof")                                             \
	X("__vmalloc_node_range")                                              \
	X("__vmalloc_node_range_noprof")                                       \
	X("__vmalloc_area_node")                                               \
	X("vm_area_alloc_pages")                                               \
	X("vmalloc")                                                           \
	X("vmalloc_noprof")                                                    \
	X("vmalloc_huge")                                                      \
	X("vmalloc_huge_noprof")                                               \
	X("vmalloc_huge_node_noprof")                                          \
	X("vmalloc_node")                                                      \
	X("vmalloc_node_noprof")                                               \
	X("vrealloc_noprof")                                                   \
	X("vrealloc_node_align_noprof")                                        \
	X("vmalloc_user")                                                      \
	X("vmalloc_user_noprof")                                               \
	X("vmalloc_32")                                                        \
	X("vmalloc_32_noprof")                                                 \
	X("vmalloc_32_user")                                                   \
	X("vmalloc_32_user_noprof")                                            \
	X("vmalloc_array")                                                     \
	X("vmalloc_array_noprof")                                              \
	X("__vmalloc_array")                                                   \
	X("__vmalloc_array_noprof")                                            \
	X("vcalloc")                                                           \
	X("vcalloc_noprof")                                                    \
	X("__vcalloc")                                                         \
	X("__vcalloc_noprof")                                                  \
	X("vzalloc")                                                           \
	X("vzalloc_noprof")                                                    \
	X("vzalloc_node")                                                      \
	X("vzalloc_node_noprof")                                               \
	X("mempool_alloc")                                                     \
	X("mempool_alloc_noprof")                                              \
	X("mempool_alloc_bulk_noprof")                                         \
	X("mempool_alloc_slab")                                                \
	X("mempool_kmalloc")                                                   \
	X("mempool_alloc_pages")                                               \
	X("mempool_init_node")                                                 \
	X("mempool_init")                                                      \
	X("mempool_init_noprof")                                               \
	X("mempool_create")                                                    \
	X("mempool_create_node")                                               \
	X("mempool_create_node_noprof")                                        \
	X("rhashtable_init")                                                   \
	X("rhashtable_init_noprof")                                            \
	X("__rhashtable_init_noprof")                                          \
	X("rhltable_init")                                                     \
	X("rhltable_init_noprof")                                              \
	X("__rhltable_init_noprof")                                            \
	X("bucket_table_alloc")

/*
 * More wrappers, and pools from which drivers take memory. Mainline charges these functions
 * instead of their callers.
 */
#define KMT_WRAPPERS_MORE(X)                                                   \
	X("mempool_resize")                                                    \
	X("kstrdup")                                                           \
	X("kstrdup_const")                                                     \
	X("kstrndup")                                                          \
	X("kmemdup_nul")                                                       \
	X("kvmemdup")                                                          \
	X("memdup_user")                                                       \
	X("vmemdup_user")                                                      \
	X("memdup_user_nul")                                                   \
	X("strndup_user")                                                      \
	X("kvasprintf")                                                        \
	X("kvasprintf_const")                                                  \
	X("kasprintf")                                                         \
	X("devm_kmalloc")                                                      \
	X("devm_kmemdup")                                                      \
	X("devm_kstrdup")                                                      \
	X("devm_kasprintf")                                                    \
	X("devm_kvasprintf")                                                   \
	X("__alloc_skb")                                                       \
	X("kmalloc_reserve")                                                   \
	X("__netdev_alloc_skb")                                                \
	X("__napi_alloc_skb")                                                  \
	X("napi_alloc_skb")                                                    \
	X("alloc_skb_with_frags")                                              \
	X("sock_alloc_send_pskb")                                              \
	X("devm_krealloc")                                                     \
	X("alloc_dr")                                                          \
	X("__devres_alloc_node")                                               \
	X("devm_get_free_pages")                                               \
	X("__devm_alloc_percpu")                                               \
	X("bitmap_alloc")                                                      \
	X("bitmap_zalloc")                                                     \
	X("bitmap_alloc_node")                                                 \
	X("bitmap_zalloc_node")                                                \
	X("devm_bitmap_alloc")                                                 \
	X("devm_bitmap_zalloc")                                                \
	X("kmemdup_array")                                                     \
	X("__kfifo_alloc")                                                     \
	X("dma_alloc_attrs")                                                   \
	X("dma_alloc_pages")                                                   \
	X("__dma_alloc_pages")                                                 \
	X("dma_alloc_noncontiguous")                                           \
	X("dmam_alloc_attrs")                                                  \
	X("dma_direct_alloc")                                                  \
	X("dma_direct_alloc_pages")                                            \
	X("__dma_direct_alloc_pages")                                          \
	X("dma_common_alloc_pages")                                            \
	X("iommu_dma_alloc")                                                   \
	X("__iommu_dma_alloc_pages")                                           \
	X("dma_pool_alloc")                                                    \
	X("sg_alloc_table")                                                    \
	X("__sg_alloc_table")                                                  \
	X("sg_kmalloc")                                                        \
	X("sg_alloc_table_from_pages_segment")                                 \
	X("sg_alloc_append_table_from_pages")                                  \
	X("sgl_alloc")                                                         \
	X("sgl_alloc_order")                                                   \
	X("alloc_netdev_mqs")                                                  \
	X("alloc_etherdev_mqs")                                                \
	X("devm_alloc_etherdev_mqs")                                           \
	X("__build_skb")                                                       \
	X("build_skb")                                                         \
	X("slab_build_skb")                                                    \
	X("skb_copy")                                                          \
	X("skb_copy_expand")                                                   \
	X("__pskb_copy_fclone")                                                \
	X("sock_kmalloc")                                                      \
	X("sock_omalloc")                                                      \
	X("sock_wmalloc")                                                      \
	X("__bpf_map_area_alloc")                                              \
	X("bpf_map_area_alloc")                                                \
	X("bpf_map_area_mmapable_alloc")                                       \
	X("bpf_map_alloc_percpu")                                              \
	X("bpf_map_kmalloc_node")                                              \
	X("bpf_map_kzalloc")                                                   \
	X("bpf_map_kvcalloc")                                                  \
	X("page_pool_alloc_pages")                                             \
	X("page_pool_alloc_netmem")                                            \
	X("page_pool_alloc_netmems")                                           \
	X("page_pool_alloc_frag")                                              \
	X("page_pool_alloc_frag_netmem")                                       \
	X("__page_pool_alloc_pages_slow")                                      \
	X("__page_pool_alloc_netmems_slow")                                    \
	X("__page_pool_alloc_page_order")                                      \
	X("page_pool_refill_alloc_cache")                                      \
	X("__page_frag_cache_refill")                                          \
	X("__page_frag_cache_prepare")                                         \
	X("page_frag_alloc_align")                                             \
	X("__page_frag_alloc_align")                                           \
	X("__netdev_alloc_frag_align")                                         \
	X("__napi_alloc_frag_align")                                           \
	X("skb_page_frag_refill")                                              \
	X("napi_skb_cache_get")                                                \
	X("__napi_build_skb")                                                  \
	X("napi_build_skb")                                                    \
	X("kobject_set_name_vargs")                                            \
	X("kobject_set_name")                                                  \
	X("dev_set_name")                                                      \
	X("kstrdup_and_replace")                                               \
	X("devm_kstrdup_const")                                                \
	X("sock_kmemdup")                                                      \
	X("mempool_kvmalloc")                                                  \
	X("dma_pool_create")                                                   \
	X("dma_pool_create_node")                                              \
	X("dmam_pool_create")                                                  \
	X("sg_alloc_table_chained")                                            \
	X("device_create_groups_vargs")                                        \
	X("device_create")                                                     \
	X("device_create_with_groups")                                         \
	X("platform_device_alloc")                                             \
	X("cdev_alloc")

/*
 * Functions that are inlined into their callers. They are not in the kernel's symbols,
 * but in its debug information. The tool also takes each inlined function whose name ends
 * in _noprof for an allocator.
 */
#define KMT_INLINE_FUNCTIONS(X)                                                \
	X("kmalloc")                                                           \
	X("kmalloc_node")                                                      \
	X("kzalloc")                                                           \
	X("kzalloc_node")                                                      \
	X("kcalloc")                                                           \
	X("kcalloc_node")                                                      \
	X("kmalloc_array")                                                     \
	X("kmalloc_array_node")                                                \
	X("krealloc_array")                                                    \
	X("kmemdup")                                                           \
	X("kvmalloc")                                                          \
	X("kvzalloc")                                                          \
	X("kvzalloc_node")                                                     \
	X("kvmalloc_array")                                                    \
	X("kvcalloc")                                                          \
	X("kmem_cache_zalloc")                                                 \
	X("kmem_cache_alloc_node")                                             \
	X("alloc_pages")                                                       \
	X("alloc_pages_node")                                                  \
	X("__alloc_pages_node")                                                \
	X("alloc_page_vma")                                                    \
	X("folio_alloc")                                                       \
	X("__folio_alloc_node")                                                \
	X("vma_alloc_folio")                                                   \
	X("vma_alloc_zeroed_movable_folio")                                    \
	X("alloc_zeroed_user_highpage_movable")                                \
	X("filemap_alloc_folio")                                               \
	X("__page_cache_alloc")                                                \
	X("page_cache_alloc")                                                  \
	X("alloc_pages_bulk_array")                                            \
	X("alloc_pages_bulk_array_node")                                       \
	X("alloc_pages_bulk_list")                                             \
	X("__dev_alloc_pages")                                                 \
	X("__dev_alloc_page")                                                  \
	X("dev_alloc_page")                                                    \
	X("dev_alloc_pages")                                                   \
	X("alloc_skb")                                                         \
	X("alloc_skb_fclone")                                                  \
	X("dev_alloc_skb")                                                     \
	X("__dev_alloc_skb")                                                   \
	X("netdev_alloc_skb")                                                  \
	X("netdev_alloc_skb_ip_align")                                         \
	X("devm_kzalloc")                                                      \
	X("devm_kcalloc")                                                      \
	X("devm_kmalloc_array")

/* Functions that allocate the pages of slabs, which keep a tag of their own. */
#define KMT_SLAB_PAGE_FUNCTIONS(X)                                             \
	X("allocate_slab")                                                     \
	X("alloc_slab_page")                                                   \
	X("new_slab")                                                          \
	X("___slab_alloc")                                                     \
	X("__slab_alloc")

/* Functions that the module hooks (module/probe/hook.c), with the names of several kernels. */
#define KMT_HOOKED_FUNCTIONS(X)                                                \
	X("kmem_cache_free_bulk")                                              \
	X("__kfree_rcu_sheaf")                                                 \
	X("kmem_cache_alloc_bulk_noprof")                                      \
	X("kmem_cache_alloc_bulk")                                             \
	X("alloc_pages_bulk_noprof")                                           \
	X("__alloc_pages_bulk")                                                \
	X("folio_migrate_flags")                                               \
	X("zs_page_migrate")                                                   \
	X("balloon_page_migrate")                                              \
	X("compaction_free")                                                   \
	X("release_free_list")                                                 \
	X("release_freepages")                                                 \
	X("slab_kmem_cache_release")

/* Functions that allocate what describes an area of vmalloc(), vmap() or ioremap(). */
#define KMT_AREA_FUNCTIONS(X)                                                  \
	X("__get_vm_area_node")                                                \
	X("alloc_vmap_area")                                                   \
	X("preload_this_cpu_lock")

/*
 * Functions of allocators, and of debugging tools, that allocate for their own use. Their
 * memory grows with that of objects which have a tag of their own.
 */
#define KMT_INNER_FUNCTIONS(X)                                                 \
	X("memcg_alloc_slab_cgroups")                                          \
	X("alloc_slab_obj_exts")                                               \
	X("__memcg_slab_post_alloc_hook")                                      \
	X("__alloc_empty_sheaf")                                               \
	X("alloc_empty_sheaf")                                                 \
	X("alloc_full_sheaf")                                                  \
	X("init_percpu_sheaves")                                               \
	X("__pcs_replace_empty_main")                                          \
	X("__pcs_replace_full_main")                                           \
	X("__kfree_rcu_sheaf")                                                 \
	X("kmem_cache_prefill_sheaf")                                          \
	X("pcpu_alloc_chunk")                                                  \
	X("pcpu_create_chunk")                                                 \
	X("pcpu_mem_zalloc")                                                   \
	X("pcpu_populate_chunk")                                               \
	X("mem_pool_alloc")                                                    \
	X("__alloc_object")                                                    \
	X("kmemleak_scan_area")                                                \
	X("fill_pool")                                                         \
	X("__stack_depot_save")                                                \
	X("stack_depot_save_flags")

#endif /* KMT_ALLOCATORS_H */
